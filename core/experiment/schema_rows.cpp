// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// schema.h: the rows. A new key is a row here and a member where its value is kept.
#include "core/experiment/schema.h"

#include "core/base/json/json_access.h"
#include "core/model/dry_device.h"
#include "core/model/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace peakscope {

namespace {

using E = Experiment;
using D = DataOptions;
using T = TrainingOptions;
using C = CurvatureOptions;
using P = PrmOptions;

// TF32 rounds a factor's mantissa to 10 bits: products that do not cancel are at most 2^-9 off. Five times that.
constexpr double kTf32Safety = 0.01;
constexpr double kMostRows = 1 << 24;
constexpr double kMostTokens = 1 << 30;
constexpr double kMostSteps = 1e9;
constexpr double kMostEpochs = 1e6;
constexpr double kMostCount = std::int64_t{1} << 50;
constexpr double kMostBytes = std::int64_t{1} << 60;
constexpr double kMostProcesses = 4096;

template <typename V>
V& inside(V& value)
{
    return value;
}
template <typename V>
V& inside(std::optional<V>& value)
{
    return *value;
}

template <HasWords V>
KeySlot slotOf(std::vector<V>& values)
{
    return WordsSlot{&wordsOf(V()),
                     [&values] {
                         std::vector<std::string> words;
                         std::transform(values.begin(), values.end(), std::back_inserter(words),
                                        [](V value) { return std::string(name(value)); });
                         return words;
                     },
                     [&values](const std::vector<std::string>& words) {
                         values.clear();
                         std::transform(words.begin(), words.end(), std::back_inserter(values),
                                        [](const std::string& word) { return valueOf(word, V()); });
                     }};
}

template <typename V>
KeySlot slotOf(V& value)
{
    if constexpr (std::is_same_v<V, OptimizerKind>)
        return WordSlot{&wordsOf(value), [&value] { return static_cast<std::size_t>(value - optimizers().data()); },
                        [&value](std::size_t place) { value = &optimizers()[place]; }};
    else if constexpr (std::is_enum_v<V>)
        return WordSlot{&wordsOf(value), [&value] { return static_cast<std::size_t>(value); },
                        [&value](std::size_t index) { value = static_cast<V>(index); }};
    else
        return &value;
}

// What a path of members leads to.
template <auto First, auto... Rest, typename Root>
auto& reach(Root& root)
{
    if constexpr (sizeof...(Rest) == 0)
        return inside(root).*First;
    else
        return reach<Rest...>(inside(root).*First);
}

// The slot at a path of members: at<&E::training, &T::lr>.
template <auto... Path>
KeySlot at(Experiment& e)
{
    return slotOf(reach<Path...>(e));
}

KeySlot attacksSlot(Experiment& e)
{
    std::vector<std::string>& attacks = e.prm->attacks;
    return WordsSlot{&attackNames(), [&attacks] { return attacks; },
                     [&attacks](const std::vector<std::string>& words) { attacks = words; }};
}

template <KeyType type>
KeySlot shape(Experiment&)
{
    return ShapeSlot{type, {}};
}

// One of the names of an enumeration whose last value is `last`.
template <auto last>
KeySlot shapeWord(Experiment&)
{
    std::vector<std::string> words;
    for (int i = 0; i <= static_cast<int>(last); ++i)
        words.emplace_back(name(static_cast<decltype(last)>(i)));
    return ShapeSlot{KeyType::Word, std::move(words)};
}

KeySlot weightsSlot(Experiment& e)
{
    static const std::vector<std::string> words{"pretrained", "random"};
    return WordSlot{&words, [&e] { return std::size_t(e.pretrained ? 0 : 1); },
                    [&e](std::size_t index) { e.pretrained = index == 0; }};
}

KeySlot familySlot(Experiment&)
{
    return ShapeSlot{KeyType::Word, familyNames()};
}

// "cuda" is the first one, and of several ranks each its own. Anything but auto, cpu, cuda, cuda:N and dry:CARD is a
// problem.
std::string checkDevice(Experiment& e)
{
    if (isDryDevice(e.device)) {
        const auto card = dryDevice(e.device, "");
        return card ? "" : card.error().text();
    }
    const std::string digits = e.device.starts_with("cuda:") ? e.device.substr(5) : "";
    const bool number = !digits.empty() && digits.size() <= 3 &&
                        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
    if (number || e.device == "auto" || e.device == "cpu" || e.device == "cuda")
        return "";
    const std::string given = shortText(nlohmann::json(std::exchange(e.device, "auto")));
    return given + " is not one of auto, cpu, cuda:0 (or another number) and dry:CARD (a card of the catalogue)";
}

std::string checkBound(Experiment& e)
{
    return e.training.maxGradNorm == 0 ? "0 is not above 0" : "";
}

std::string checkDelta(Experiment& e)
{
    const double delta = e.training.privacy.delta;
    return delta <= 0 || delta >= 1 ? fmt::format("{} is not between 0 and 1", delta) : "";
}

std::string checkTargets(Experiment& e)
{
    const LoraOptions& lora = e.training.lora;
    return lora.rank > 0 && lora.targets.empty() ? "an empty list leaves nothing to train" : "";
}

std::string checkTraced(Experiment& e)
{
    return e.traced || e.kind == ExperimentKind::Memory ? ""
                                                        : "false is for kind memory, whose training steps are timed";
}

void wholeBatch(Experiment& e)
{
    e.data.maxPhysicalBatch = e.data.batch;
}

void safetyOfPrecision(Experiment& e)
{
    e.training.normSafety = e.training.normPrecision == NormPrecision::Tf32 ? kTf32Safety : 0;
}

// What few keys need, said in a row.
struct More : KeyTraits {
    More in(double least, double most = kMostNumber)
    {
        range = {least, most};
        return *this;
    }
    More of(const char* what)
    {
        unit = what;
        return *this;
    }
    More usually(const char* text)
    {
        fallback = text;
        return *this;
    }
    More follows(void (*value)(Experiment&))
    {
        follow = value;
        return *this;
    }
    More checked(std::string (*by)(Experiment&))
    {
        check = by;
        return *this;
    }
    More rarely()
    {
        rare = true;
        return *this;
    }
};

More more()
{
    return {};
}

More ofFamily()
{
    return more().usually("as the family does");
}

constexpr unsigned kTrained = kMemory | kPrm;

const ExperimentKey kKeys[] = {
    {"kind", at<&E::kind>, kEveryKind, "Kind",
     "memory measures training steps, curvature computes Hessian quantities, and prm measures how noise in each class "
     "of weights changes perplexity and attacks.",
     more().usually("none; required")},
    {"weights", weightsSlot, kEveryKind, "Weights",
     "Pretrained weights of the folder or of the Hugging Face cache, or random ones. Both take the same memory.",
     more().usually("pretrained for a folder or an id, else random")},
    {"model.id", shape<KeyType::Text>, kEveryKind, "Model", "A model of the catalogue, by its id."},
    {"model.dir", shape<KeyType::Text>, kEveryKind, "Folder",
     "A folder with config.json and model.safetensors or pytorch_model.bin, as Hugging Face's library saves it."},
    {"model.family", familySlot, kEveryKind, "Family", "The architecture of the model."},
    {"model.layers", shape<KeyType::Integer>, kEveryKind, "Layers", "Number of transformer layers.",
     more().in(1).usually("4")},
    {"model.hidden", shape<KeyType::Integer>, kEveryKind, "Hidden", "Width of the residual stream.",
     more().in(1).usually("256")},
    {"model.heads", shape<KeyType::Integer>, kEveryKind, "Heads", "Attention heads; they divide the width.",
     more().in(1).usually("4")},
    {"model.kv_heads", shape<KeyType::Integer>, kEveryKind, "KV heads",
     "Key and value heads (grouped-query attention). Empty: as many as heads.", more().in(1).usually("as heads")},
    {"model.ffn", shape<KeyType::Integer>, kEveryKind, "Feed-forward", "Inner width of the feed-forward block.",
     ofFamily().in(1)},
    {"model.vocab", shape<KeyType::Integer>, kEveryKind, "Vocabulary", "Number of tokens.",
     more().in(1).usually("256")},
    {"model.max_positions", shape<KeyType::Integer>, kEveryKind, "Positions",
     "Longest sequence that the model was made for.", more().in(1).usually("256")},
    {"model.tied", shape<KeyType::Truth>, kEveryKind, "Tied head", "Whether the head shares the embedding's weights.",
     ofFamily()},
    {"model.quantization", shapeWord<Quantization::Int8>, kMemory | kCurvature, "Base weights",
     "How the linear weights under adapters are stored: nf4 takes 4.5 bits for each, nf4_nested 4.13, int8 8. They are "
     "turned into numbers for each product.",
     more().usually("none")},
    // Of these the form has no fields. Those of one family alone are unknown keys to the others.
    {"model.head_dim", shape<KeyType::Integer>, kEveryKind, "Head width",
     "Width of one attention head. It is hidden / heads; only families with grouped heads allow another width.",
     ofFamily().in(1)},
    {"model.activation", shapeWord<Activation::Silu>, kEveryKind, "Activation",
     "Activation function of the feed-forward block. Names from Hugging Face configurations are accepted too.",
     ofFamily()},
    {"model.norm_eps", shape<KeyType::Number>, kEveryKind, "Norm epsilon", "Added under the root of every norm.",
     ofFamily().in(0, 1)},
    {"model.init_std", shape<KeyType::Number>, kEveryKind, "Initial deviation", "Standard deviation of random weights.",
     ofFamily().in(0, 100)},
    {"model.pre_norm", shape<KeyType::Truth>, kEveryKind, "Norms first",
     "opt: layer norms precede each block; if false, they follow its residual sum, as in OPT-350M.", ofFamily()},
    {"model.final_norm", shape<KeyType::Truth>, kEveryKind, "Final norm",
     "opt: a norm before the head, if norms come first.", ofFamily()},
    {"model.affine_norm", shape<KeyType::Truth>, kEveryKind, "Affine norms", "opt: norms have weights and biases.",
     ofFamily()},
    {"model.linear_bias", shape<KeyType::Truth>, kEveryKind, "Linear biases", "opt: linear layers have biases.",
     ofFamily()},
    {"model.embed_dim", shape<KeyType::Integer>, kEveryKind, "Embedding width",
     "opt: width of the token embedding. If it is not hidden, a projection follows it and another precedes the head.",
     ofFamily().in(1)},
    {"model.scale_attention", shape<KeyType::Truth>, kEveryKind, "Scaled scores",
     "gpt2: attention scores are divided by the root of a head's width.", ofFamily()},
    {"model.scale_by_inverse_layer", shape<KeyType::Truth>, kEveryKind, "Scores by layer",
     "gpt2: attention scores are also divided by the layer's number, counted from 1.", ofFamily()},
    {"model.window_size", shape<KeyType::Integer>, kEveryKind, "Local window",
     "gpt_neo: size of a local layer's attention window in positions, the current one included.", ofFamily().in(1)},
    {"model.attention_layers", shape<KeyType::Texts>, kEveryKind, "Layer kinds",
     "With a window: global or local, one word per layer; a shorter list is repeated.", ofFamily()},
    {"model.parallel_residual", shape<KeyType::Truth>, kEveryKind, "Parallel residual",
     "gpt_neox: attention and feed-forward block read the same input.", ofFamily()},
    {"model.rotary_fraction", shape<KeyType::Number>, kEveryKind, "Rotated share",
     "gpt_neox and phi3: fraction of a head's width with rotary positions, above 0.", ofFamily().in(0, 1)},
    {"model.qkv_bias", shape<KeyType::Truth>, kEveryKind, "Query biases",
     "llama and gpt_neox: the projections of queries, keys and values have biases.", ofFamily()},
    {"model.out_bias", shape<KeyType::Truth>, kEveryKind, "Output biases",
     "llama and gpt_neox: attention's output projection has biases.", ofFamily()},
    {"model.mlp_bias", shape<KeyType::Truth>, kEveryKind, "Feed-forward biases",
     "llama and smollm3: the feed-forward block has biases.", ofFamily()},
    {"model.attention_bias", shape<KeyType::Truth>, kEveryKind, "Attention biases",
     "qwen3, smollm3, olmo2, gemma, gemma2, gemma3, qwen3_moe and gpt_oss: all of attention's projections have biases.",
     ofFamily()},
    {"model.sliding_window", shape<KeyType::Integer>, kEveryKind, "Sliding window",
     "llama, qwen3, smollm3, phi3, gemma2, gemma3, mixtral, qwen3_moe and gpt_oss: size of the attention window in "
     "positions, the current one included. 0: no window, which gemma3 must have.",
     ofFamily().in(0)},
    {"model.query_scalar", shape<KeyType::Integer>, kEveryKind, "Query scalar",
     "gemma2 and gemma3: attention scores are divided by the root of this number, not of a head's width.",
     ofFamily().in(1)},
    {"model.score_cap", shape<KeyType::Number>, kEveryKind, "Score cap",
     "gemma2: attention scores s become c tanh(s / c), with this c. 0: no cap.", ofFamily().in(0)},
    {"model.logit_cap", shape<KeyType::Number>, kEveryKind, "Logit cap",
     "gemma2 and gemma3: logits z become c tanh(z / c), with this c. 0: no cap.", ofFamily().in(0)},
    {"model.experts", shape<KeyType::Integer>, kEveryKind, "Experts",
     "mixtral, qwen3_moe and gpt_oss: feed-forward nets of a layer, of which each token goes through a few.",
     ofFamily().in(1)},
    {"model.experts_per_token", shape<KeyType::Integer>, kEveryKind, "Experts per token",
     "mixtral, qwen3_moe and gpt_oss: how many of them a token goes through.", ofFamily().in(1)},
    {"model.expert_ffn", shape<KeyType::Integer>, kEveryKind, "Expert width",
     "mixtral, qwen3_moe and gpt_oss: inner width of one of them.", ofFamily().in(1)},
    {"model.router_aux_loss_coef", shape<KeyType::Number>, kEveryKind, "Router loss",
     "mixtral, qwen3_moe and gpt_oss: coefficient of the routers' load balancing loss in training. 0: no such loss.",
     ofFamily().in(0)},
    {"model.swiglu_alpha", shape<KeyType::Number>, kEveryKind, "Gate factor",
     "gpt_oss: the gate is g sigmoid(alpha g), with this alpha.", ofFamily().in(0)},
    {"model.swiglu_limit", shape<KeyType::Number>, kEveryKind, "Gate limit",
     "gpt_oss: what an expert's gate and its other half are clamped to.", ofFamily().in(0)},
    {"model.norm_experts", shape<KeyType::Truth>, kEveryKind, "Normed experts",
     "qwen3_moe: the weights of a token's experts are divided by their sum.", ofFamily()},
    {"model.dense_layers", shape<KeyType::Texts>, kEveryKind, "Dense layers",
     "qwen3_moe: experts or dense, one word per layer; a shorter list is repeated.", ofFamily()},
    {"model.rotary_layers", shape<KeyType::Texts>, kEveryKind, "Rotary layers",
     "smollm3: rotary or none, one word per layer; a shorter list is repeated.", ofFamily()},
    {"model.rope_theta", shape<KeyType::Number>, kEveryKind, "Rotary base",
     "Families with rotary positions: the base of their frequencies, above 1.", ofFamily().in(1)},
    {"model.local_rope_theta", shape<KeyType::Number>, kEveryKind, "Local rotary base",
     "gemma3: the base of the frequencies in layers with a window, above 1. These are not stretched.",
     ofFamily().in(1)},
    {"model.rope_scaling.type", shapeWord<RopeScaling::Kind::LongRope>, kEveryKind, "Rotary scaling",
     "Families with rotary positions: how they are stretched for longer sequences.", ofFamily()},
    {"model.rope_scaling.factor", shape<KeyType::Number>, kEveryKind, "Scaling factor",
     "Factor by which positions are stretched, above 0.", ofFamily()},
    {"model.rope_scaling.original_max_positions", shape<KeyType::Integer>, kEveryKind, "Original positions",
     "All types except linear: the model's context length before scaling.", ofFamily().in(1)},
    {"model.rope_scaling.low_freq_factor", shape<KeyType::Number>, kEveryKind, "Low frequencies",
     "llama3: wavelengths above the original positions divided by this are stretched.", ofFamily()},
    {"model.rope_scaling.high_freq_factor", shape<KeyType::Number>, kEveryKind, "High frequencies",
     "llama3: wavelengths below the original positions divided by this stay unchanged. Must be above low_freq_factor.",
     ofFamily()},
    {"model.rope_scaling.attention_factor", shape<KeyType::Number>, kEveryKind, "Attention factor",
     "yarn and longrope: scale of rotated queries and keys. 0: computed from the scaling factor.", ofFamily()},
    {"model.rope_scaling.beta_fast", shape<KeyType::Number>, kEveryKind, "Fast rotations",
     "yarn: dimensions with more rotations than this over the original positions stay unchanged. At least beta_slow.",
     ofFamily()},
    {"model.rope_scaling.beta_slow", shape<KeyType::Number>, kEveryKind, "Slow rotations",
     "yarn: dimensions with fewer rotations than this over the original positions are stretched. Above 0.", ofFamily()},
    {"model.rope_scaling.truncate", shape<KeyType::Truth>, kEveryKind, "Rounded range",
     "yarn: the range of dimensions between the two is rounded outward to integers.", ofFamily()},
    {"model.rope_scaling.short_factor", shape<KeyType::Numbers>, kEveryKind, "Short factors",
     "longrope: what the frequency of each pair is divided by in sequences up to the original positions.", ofFamily()},
    {"model.rope_scaling.long_factor", shape<KeyType::Numbers>, kEveryKind, "Long factors",
     "longrope: what the frequency of each pair is divided by in longer sequences.", ofFamily()},
    {"seed", at<&E::seed>, kEveryKind, "Seed", "Seed of random weights and of the order of the data."},
    {"device", at<&E::device>, kEveryKind, "Device",
     "auto takes the first GPU, else the CPU. With cuda each of several ranks has its own GPU. A name such as dry:CARD "
     "simulates a card of the catalogue: memory is measured, nothing is computed.",
     more().checked(checkDevice)},
    {"threads", at<&E::threads>, kEveryKind, "Threads",
     "CPU threads. 0: all processors available to this process, divided among the ranks of a machine.",
     more().in(0, kMostProcesses)},
    {"ranks", at<&E::ranks>, kMemory | kCurvature, "Ranks",
     "Number of processes that share every step. 0: as many as the launcher starts, or 1 without a launcher. Without a "
     "launcher, two or more start on this machine. The batch is the total over all ranks.",
     more().in(0, kMostProcesses).rarely()},
    {"dtype", at<&E::dtype>, kEveryKind, "Number type", "Number type of parameters, gradients and optimiser states."},
    {"launcher", at<&E::launcher>, kEveryKind, "Launcher",
     "Command prefix that starts the worker on another machine or a cluster: ssh HOST, srun --gpus 1.",
     more().usually("this machine")},

    {"data.source", at<&E::data, &D::source>, kEveryKind, "Source",
     "Built-in records, a text file or folder, or rows of token ids in a JSON file."},
    {"data.path", at<&E::data, &D::path>, kEveryKind, "Path", "The text file or folder, or the JSON file of tokens."},
    {"data.tokenizer", at<&E::data, &D::tokenizer>, kEveryKind, "Tokenizer",
     "auto: the model folder's own, else bytes; bytes; or a folder with a tokenizer."},
    {"data.batch", at<&E::data, &D::batch>, kEveryKind, "Batch", "Rows of one training step.",
     more().in(1, kMostRows).of("rows")},
    {"data.seq", at<&E::data, &D::seq>, kEveryKind, "Sequence", "Tokens of one row.",
     more().in(1, kMostTokens).of("tokens")},
    {"data.max_physical_batch", at<&E::data, &D::maxPhysicalBatch>, kEveryKind, "Rows at once",
     "Rows of one forward pass (micro-batch), at most the batch; gradients are accumulated. Empty: the whole batch.",
     more().in(1, kMostRows).of("rows").usually("whole batch").follows(wholeBatch)},
    {"data.routing", at<&E::data, &D::routing>, kMemory, "Routing",
     "How plans and dry runs spread the tokens over a mixture's experts: evenly, or all to the same ones.",
     more().rarely()},

    {"training.optimizer", at<&E::training, &T::optimizer>, kTrained, "Optimiser",
     "Adam and AdamW keep two states for every parameter, RMSprop, Adagrad and Lion one, SGD none. Muon keeps one "
     "for each weight matrix of the layers, and AdamW updates the rest. Adafactor keeps a number for each row and "
     "column of a matrix. With adamw8bit both have 8 bits. With adamw8bit_embeddings32 those of embeddings stay "
     "float32."},
    {"training.implementation", at<&E::training, &T::implementation>, kTrained, "Update",
     "foreach updates all parameters together and needs temporaries for all of them. With loop, parameters are updated "
     "one by one. in_backward updates each parameter during backward and frees its gradient. PyTorch's default, auto, "
     "is "
     "foreach on a GPU and loop on the CPU.",
     more().rarely()},
    {"training.rounding", at<&E::training, &T::rounding>, kMemory, "Weight rounding",
     "How a bfloat16 weight takes its update. kahan keeps what rounding lost, in another bfloat16. stochastic rounds "
     "up or down at random, right on average.",
     more().rarely()},
    {"training.masters", at<&E::training, &T::masters>, kMemory, "float32 masters",
     "Updates float32 copies of 16-bit weights, with float32 states.", more().rarely()},
    {"training.lr", at<&E::training, &T::lr>, kTrained, "Learning rate", "0 leaves the weights unchanged."},
    {"training.warmup_steps", at<&E::training, &T::warmupSteps>, kMemory, "Warm-up steps",
     "Steps before the measured ones, not timed.", more().in(0, kMostSteps).of("steps")},
    {"training.steps", at<&E::training, &T::steps>, kMemory, "Steps", "Measured steps.",
     more().in(1, kMostSteps).of("steps")},
    {"training.checkpointing", at<&E::training, &T::checkpointing>, kTrained, "Checkpointing",
     "Gradient checkpointing: keeps only each layer's input and recomputes its activations in the backward pass."},
    {"training.amp", at<&E::training, &T::amp>, kMemory, "Autocast",
     "Number type for autocast computation; parameters keep dtype."},
    {"training.attention", at<&E::training, &T::attention>, kTrained, "Attention",
     "fused and chunked never hold a sequence × sequence matrix; math does."},
    {"training.loss_head", at<&E::training, &T::lossHead>, kTrained, "Loss head",
     "chunked never holds the logits of the whole batch."},
    {"training.clipping", at<&E::training, &T::clipping>, kMemory, "Clipping",
     "How each row's gradient is clipped for DP-SGD: one by one, or by norms computed without the gradients. The "
     "method auto plans the fastest way within the budget."},
    {"training.max_grad_norm", at<&E::training, &T::maxGradNorm>, kMemory, "Norm bound",
     "Rows with a longer gradient are scaled down to this.", more().checked(checkBound)},
    {"training.noise_multiplier", at<&E::training, &T::noiseMultiplier>, kMemory, "Noise multiplier",
     "Standard deviation of the noise on the sum of clipped gradients, in norm bounds. 0: no noise."},
    {"training.norm_precision", at<&E::training, &T::normPrecision>, kMemory, "Norm precision",
     "Precision of the matrix products in the norms of rows; tf32 is faster on a GPU."},
    {"training.norm_safety", at<&E::training, &T::normSafety>, kMemory, "Norm safety",
     "Safety margin: norms are increased by this fraction before clipping, so that rounding cannot exceed the bound.",
     more().in(0, 1).usually("0, with tf32 0.01").follows(safetyOfPrecision)},
    {"training.sharding", at<&E::training, &T::sharding>, kMemory | kCurvature, "Sharding",
     "What is sharded over ranks. zero1: optimiser states; zero2: also gradients; zero3: also parameters; none: "
     "nothing. With fsdp each parameter is sharded by its rows, as by PyTorch's FSDP2."},
    {"training.fsdp.param_dtype", at<&E::training, &T::fsdp, &FsdpOptions::paramDtype>, kMemory, "FSDP: gathered as",
     "Number type of gathered parameters, which the model computes with. auto: bfloat16 for float32 weights.",
     more().rarely()},
    {"training.fsdp.reduce_dtype", at<&E::training, &T::fsdp, &FsdpOptions::reduceDtype>, kMemory, "FSDP: summed as",
     "Number type in which gradients are summed over ranks. auto: float32, for float64 weights float64.",
     more().rarely()},
    {"training.fsdp.reshard_after_forward", at<&E::training, &T::fsdp, &FsdpOptions::reshardAfterForward>, kMemory,
     "FSDP: reshard", "Releases a layer's parameters after its forward pass and gathers them again for backward.",
     more().rarely()},
    {"training.fsdp.prefetch", at<&E::training, &T::fsdp, &FsdpOptions::prefetch>, kMemory, "FSDP: prefetch",
     "Gathers the next layer while one computes. On devices only.", more().rarely()},
    {"training.privacy.delta", at<&E::training, &T::privacy, &PrivacyOptions::delta>, kMemory, "Delta",
     "Delta of the privacy guarantee: the probability that its epsilon does not hold.",
     more().in(0, 1).checked(checkDelta)},
    {"training.privacy.poisson", at<&E::training, &T::privacy, &PrivacyOptions::poisson>, kMemory, "Poisson sampling",
     "Each row is drawn independently, as privacy accounting assumes."},
    {"training.privacy.expected_batch", at<&E::training, &T::privacy, &PrivacyOptions::expectedBatch>, kMemory,
     "Expected batch",
     "Divisor of the sum of clipped gradients; with Poisson sampling, the mean number of rows drawn. 0: the batch.",
     more().in(0, kMostRows).of("rows")},
    {"training.lora.rank", at<&E::training, &T::lora, &LoraOptions::rank>, kMemory | kCurvature, "Adapter rank",
     "Rank of LoRA adapters; only they are trained. 0: all weights are trained.", more().in(0, 1 << 16)},
    {"training.lora.alpha", at<&E::training, &T::lora, &LoraOptions::alpha>, kMemory | kCurvature, "Adapter alpha",
     "Adapter outputs are scaled by alpha / rank. Above 0 if there are adapters."},
    {"training.lora.targets", at<&E::training, &T::lora, &LoraOptions::targets>, kMemory | kCurvature,
     "Adapted projections", "Names of the linear layers that get an adapter.", more().checked(checkTargets)},
    {"training.lora.dtype", at<&E::training, &T::lora, &LoraOptions::dtype>, kMemory | kCurvature, "Adapter numbers",
     "Number type of adapters. float32 computes adapters of 16-bit weights in float32, as peft does. weights: that of "
     "the weights.",
     more().rarely()},

    {"marks", at<&E::marks>, kEveryKind, "Bands",
     "Extra bands in the timeline. Each has a name and a pattern of the modules or operators to count."},
    {"budget_bytes", at<&E::budgetBytes>, kEveryKind, "Memory budget",
     "The run ends when an allocation would exceed this. The form also accepts sizes such as 2 GiB. 0: no budget.",
     more().in(0, kMostBytes).of("bytes").usually("none")},
    {"fit", at<&E::fit>, kEveryKind, "Fit",
     "Before the run, raises batch, sequence or sample size to the largest that the budget allows."},
    {"traced", at<&E::traced>, kMemory, "Traced",
     "If false, neither memory nor operators are recorded, so step times have no tracing overhead.",
     more().checked(checkTraced).rarely()},
    {"cuda_allocator.max_split_size_mb", at<&E::cudaAllocator, &CudaAllocatorOptions::maxSplitSizeMb>, kEveryKind,
     "Largest block that is split", "The CUDA allocator does not split blocks of this size or more. 0: no limit.",
     more().in(0, 1 << 24).of("MiB")},
    {"cuda_allocator.expandable_segments", at<&E::cudaAllocator, &CudaAllocatorOptions::expandableSegments>, kEveryKind,
     "Expandable segments", "Segments of the CUDA allocator can grow in place."},

    {"curvature.quantities", at<&E::curvature, &C::quantities>, kCurvature, "Quantities", "Quantities to compute."},
    {"curvature.method", at<&E::curvature, &C::method>, kCurvature, "Method",
     "How Hessian-vector products are computed. auto takes the method with the least memory, and rows or jets for "
     "diagonals; never finite differences."},
    {"curvature.step", at<&E::curvature, &C::step>, kCurvature, "Step",
     "Step of finite differences, relative to weights and vector. 0: chosen from the number type and one exact "
     "product."},
    {"curvature.parameters.select", at<&E::curvature, &C::select>, kCurvature, "Diagonal entries",
     "Entries to compute: all parameters, a sample spread over the tensors, tensors by name, or a list."},
    {"curvature.parameters.count", at<&E::curvature, &C::count>, kCurvature, "Sample size",
     "Number of sampled entries. A larger sample contains every smaller one. Models with fewer entries use all of "
     "them.",
     more().in(1, kMostCount)},
    {"curvature.parameters.names", at<&E::curvature, &C::names>, kCurvature, "Tensors",
     "Names of tensors; * matches anything."},
    {"curvature.parameters.entries", at<&E::curvature, &C::entries>, kCurvature, "Entries",
     "Tensor and flattened position of every entry: lm_head.weight:17."},
    {"curvature.probes", at<&E::curvature, &C::probes>, kCurvature, "Probes",
     "Largest number of random vectors for trace, blocks and features. The interval narrows with its square root.",
     more().in(1, kMostCount)},
    {"curvature.interval_width", at<&E::curvature, &C::intervalWidth>, kCurvature, "Stop at width",
     "Stops the trace once its 95 % interval is this wide; 0 uses all probes."},
    {"curvature.top_k", at<&E::curvature, &C::topK>, kCurvature, "Eigenvalues",
     "Number of eigenvalues, largest magnitude first.", more().in(1, kMostCount)},
    {"curvature.density_steps", at<&E::curvature, &C::densitySteps>, kCurvature, "Spectrum steps",
     "Lanczos steps per probe of the spectrum; more give a finer resolution.", more().in(1, kMostCount)},
    {"curvature.unit", at<&E::curvature, &C::unit>, kCurvature, "Unit",
     "Unit of a block and of a row of the features."},

    {"prm.sigmas", at<&E::prm, &P::sigmas>, kPrm, "Noise σ",
     "Scales of the noise. 0 is the unchanged model; 0 alone measures the baseline."},
    {"prm.relative", at<&E::prm, &P::relative>, kPrm, "σ is",
     "Relative noise is a share of the root mean square of the weights."},
    {"prm.repeats", at<&E::prm, &P::repeats>, kPrm, "Noise seeds",
     "Number of noise draws at every scale; statistical tests need 2 or more.", more().in(1, kMostEpochs)},
    {"prm.attacks", attacksSlot, kPrm, "Attacks", "Scores of a sample that are used for membership inference."},
    {"prm.base_epochs", at<&E::prm, &P::baseEpochs>, kPrm, "Base epochs",
     "Epochs of training on the base text, for random weights.", more().in(0, kMostEpochs).of("epochs")},
    {"prm.finetune_epochs", at<&E::prm, &P::finetuneEpochs>, kPrm, "Fine-tuning epochs",
     "Epochs of fine-tuning on the members, which the model may memorise.", more().in(0, kMostEpochs).of("epochs")},
    {"prm.members", at<&E::prm, &P::members>, kPrm, "Members",
     "Number of samples to fine-tune on. 0: half of all samples, or 512 built-in records.",
     more().in(0, kMostCount).of("samples")},
    {"prm.attacked", at<&E::prm, &P::attacked>, kPrm, "Attacked",
     "Number of members that are attacked, with as many non-members. 0: all, at most 1000.",
     more().in(0, kMostCount).of("samples")},
    {"prm.evaluation", at<&E::prm, &P::evaluation>, kPrm, "Evaluation",
     "Number of samples for the perplexity. 0: at most 256.", more().in(0, kMostCount).of("samples")},
    {"prm.samples", at<&E::prm, &P::samples>, kPrm, "Samples",
     "Lines of a text, or rows of tokens; auto takes lines if all fit into a row."},
    {"prm.small_noise", at<&E::prm, &P::smallNoise>, kPrm, "Small noise",
     "Compares the change of the loss under small noise with the Hessian's trace."},
    {"prm.unit", at<&E::prm, &P::unit>, kPrm, "Unit", "Unit that is assigned to Wfunc, Wsens or Wboth."},
    {"prm.thresholds.func_alignment", at<&E::prm, &P::thresholds, &ClassThresholds::funcAlignment>, kPrm,
     "Wfunc: alignment", "A unit is Wfunc with at least this alignment.", more().in(0, 1)},
    {"prm.thresholds.func_sparsity", at<&E::prm, &P::thresholds, &ClassThresholds::funcSparsity>, kPrm,
     "Wfunc: sparsity", "A unit is Wfunc below this sparsity.", more().in(0, 1)},
    {"prm.thresholds.sens_alignment", at<&E::prm, &P::thresholds, &ClassThresholds::sensAlignment>, kPrm,
     "Wsens: alignment", "A unit is Wsens with at most this alignment.", more().in(0, 1)},
    {"prm.thresholds.sens_sparsity", at<&E::prm, &P::thresholds, &ClassThresholds::sensSparsity>, kPrm,
     "Wsens: sparsity", "A unit is Wsens from this sparsity on.", more().in(0, 1)},
    {"prm.synthetic", at<&E::prm, &P::synthetic>, kPrm, "Values",
     "Synthetic values come from a formula, to show the figures; nothing is measured."},
};

} // namespace

std::span<const ExperimentKey> experimentKeys()
{
    return kKeys;
}

} // namespace peakscope
