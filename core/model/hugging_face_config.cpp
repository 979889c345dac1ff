// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_config.h"

#include "core/model/model_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr const char* kSupportedTypes = "opt, gpt2, gpt_neox, llama, mistral and qwen2";

// The keys of Hugging Face's library for one model type, and what it takes where an optional one is missing
// (its configuration classes, release 5).
struct TypeTraits {
    std::string type;
    Family family;
    std::int64_t maxPositions = 0; // 0: the key is required, its table is learned
    std::int64_t kvHeads = 0;      // 0: as many as heads
    double normEps = 1e-5;
    bool tied = false;
    std::string activation;
};

const std::array<TypeTraits, 6> kTypes{{{"opt", Family::Opt, 0, 0, 1e-5, true, "relu"},
                                        {"gpt2", Family::Gpt2, 0, 0, 1e-5, true, "gelu_new"},
                                        {"gpt_neox", Family::GptNeox, 2048, 0, 1e-5, false, "gelu"},
                                        {"llama", Family::Llama, 2048, 0, 1e-6, false, "silu"},
                                        {"mistral", Family::Llama, 131072, 8, 1e-6, false, "silu"},
                                        {"qwen2", Family::Llama, 32768, 32, 1e-6, false, "silu"}}};

// Keys of other architectures, or of variants, that change the mathematics. Each is refused unless it holds a value
// that leaves the mathematics as it is: null, false, an empty list or object, or the number that is written here.
struct RefusedKey {
    const char* key;
    double neutral;
    const char* what;
};

constexpr double kNoNeutralNumber = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<RefusedKey, 43> kRefusedKeys{{
    {"num_local_experts", 0, "mixtures of experts"},
    {"num_experts", 0, "mixtures of experts"},
    {"n_routed_experts", 0, "mixtures of experts"},
    {"num_routed_experts", 0, "mixtures of experts"},
    {"moe_num_experts", 0, "mixtures of experts"},
    {"num_experts_per_tok", 0, "mixtures of experts"},
    {"moe_intermediate_size", 0, "mixtures of experts"},
    {"shared_expert_intermediate_size", 0, "mixtures of experts"},
    {"quantization_config", kNoNeutralNumber, "quantised weights"},
    {"compression_config", kNoNeutralNumber, "compressed weights"},
    {"add_cross_attention", 0, "cross-attention"},
    {"cross_attention_hidden_size", 0, "cross-attention"},
    {"is_encoder_decoder", 0, "an encoder"},
    {"per_layer_config", kNoNeutralNumber, "layers that differ"},
    {"attn_logit_softcapping", 0, "capped logits"},
    {"final_logit_softcapping", 0, "capped logits"},
    {"logits_soft_cap", 0, "capped logits"},
    {"attention_multiplier", kNoNeutralNumber, "scaled attention"},
    {"query_pre_attn_scalar", kNoNeutralNumber, "scaled attention"},
    {"embedding_multiplier", 1, "scaled embeddings"},
    {"scale_embedding", 0, "scaled embeddings"},
    {"scale_emb", 1, "scaled embeddings"},
    {"residual_multiplier", 1, "scaled residuals"},
    {"scale_depth", kNoNeutralNumber, "scaled residuals"},
    {"logits_scaling", 1, "scaled logits"},
    {"logit_scale", 1, "scaled logits"},
    {"output_multiplier_scale", 1, "scaled logits"},
    {"mup_width_multiplier", 1, "scaled logits"},
    {"dim_model_base", kNoNeutralNumber, "scaled logits"},
    {"qk_norm", 0, "normalised queries and keys"},
    {"use_qk_norm", 0, "normalised queries and keys"},
    {"qk_layernorm", 0, "normalised queries and keys"},
    {"clip_qkv", 0, "clipped queries, keys and values"},
    {"alibi", 0, "linear position biases"},
    {"use_alibi", 0, "linear position biases"},
    {"no_rope_layers", kNoNeutralNumber, "layers without rotary positions"},
    {"no_rope_layer_interval", 0, "layers without rotary positions"},
    {"nope_layer_interval", 0, "layers without rotary positions"},
    {"rope_interleaved", 0, "interleaved rotary positions"},
    {"attention_chunk_size", 0, "attention within chunks"},
    {"dual_chunk_attention_config", kNoNeutralNumber, "attention within chunks"},
    {"multi_query", 0, "a single key head under this name"},
    {"layer_norm_learned_scale_only", 0, "norms of another form"},
}};

bool isNeutral(const Json& value, double neutral)
{
    if (value.is_null() || (value.is_structured() && value.empty())) {
        return true;
    }
    if (value.is_boolean()) {
        return !value.get<bool>();
    }
    return value.is_number() && value.get<double>() == neutral;
}

void refuseOtherMathematics(const Json& document, ObjectReader& reader)
{
    for (const RefusedKey& refused : kRefusedKeys) {
        const auto found = document.find(refused.key);
        if (found != document.end() && !isNeutral(*found, refused.neutral)) {
            reader.refuse(refused.key, fmt::format("{} is not supported ({})", shortText(*found), refused.what));
        }
    }
    const auto position = document.find("position_embedding_type");
    if (position != document.end() && position->is_string() && *position != "absolute" && *position != "rope" &&
        *position != "rotary" && *position != "learned") {
        reader.refuse("position_embedding_type", shortText(*position) + " is not supported");
    }
}

class HuggingFaceReader
{
public:
    HuggingFaceReader(const Json& document, const TypeTraits& traits, Problems& problems)
        : m_document(document), m_traits(traits), m_problems(problems),
          m_reader(document, "", problems, ObjectReader::Null::IsAbsent)
    {}

    ModelConfig read()
    {
        m_config = familyDefaults(m_traits.family);
        chooseKeys();
        readSizes();
        readCommon();
        if (m_traits.family == Family::Opt) {
            readOpt();
        } else if (m_traits.family == Family::Gpt2) {
            m_config.scaleAttention = m_reader.boolean("scale_attn_weights", true);
            m_config.scaleByInverseLayer = m_reader.boolean("scale_attn_by_inverse_layer_idx", false);
        } else {
            readRotaryFamily();
        }
        refuseOtherMathematics(m_document, m_reader);
        if (m_problems.empty()) {
            m_problems = shapeProblems(m_config, m_keys);
        }
        return m_config;
    }

private:
    // GPT-2's own names and the common ones mean the same to the library.
    std::string keyOr(const std::string& own, const std::string& common)
    {
        return !m_reader.has(own) && m_reader.has(common) ? common : own;
    }

    void chooseKeys()
    {
        m_keys = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
                  "head_dim",    "intermediate_size", "vocab_size",          "max_position_embeddings",
                  "hidden_size", "rotary_pct",        "rope_theta",          "rope_scaling",
                  "rms_norm_eps"};
        if (m_traits.family == Family::Opt) {
            m_keys.ffn = "ffn_dim";
            m_keys.embedDim = "word_embed_proj_dim";
        } else if (m_traits.family == Family::Gpt2) {
            m_keys.hidden = keyOr("n_embd", "hidden_size");
            m_keys.layers = keyOr("n_layer", "num_hidden_layers");
            m_keys.heads = keyOr("n_head", "num_attention_heads");
            m_keys.maxPositions = keyOr("n_positions", "max_position_embeddings");
            m_keys.ffn = "n_inner";
            m_keys.normEps = "layer_norm_epsilon";
        } else if (m_traits.family == Family::GptNeox) {
            m_keys.normEps = "layer_norm_eps";
            m_keys.ropeTheta = "rotary_emb_base";
        }
        const auto scaling = m_document.find("rope_scaling");
        if (scaling == m_document.end() || scaling->is_null() || scaling->empty()) {
            m_keys.ropeScaling = "rope_parameters";
        }
    }

    void readSizes()
    {
        ModelConfig& c = m_config;
        c.hidden = m_reader.requiredInteger(m_keys.hidden, 1, kMostWidth);
        c.layers = m_reader.requiredInteger(m_keys.layers, 1, kMostLayers);
        c.heads = m_reader.requiredInteger(m_keys.heads, 1, kMostHeads);
        c.vocab = m_reader.requiredInteger(m_keys.vocab, 1, kMostVocabulary);
        c.maxPositions = m_traits.maxPositions == 0
                             ? m_reader.requiredInteger(m_keys.maxPositions, 1, kMostPositions)
                             : m_reader.integer(m_keys.maxPositions, m_traits.maxPositions, 1, kMostPositions);
        // A feed-forward width is optional in the library, but no saved configuration leaves it out, and its
        // default (that of one released model) would only lead to a stranger error later.
        c.ffn = m_traits.family == Family::Gpt2 ? m_reader.integer("n_inner", 4 * c.hidden, 1, kMostFeedForward)
                                                : m_reader.requiredInteger(m_keys.ffn, 1, kMostFeedForward);
        c.kvHeads = c.heads;
        c.headDim = std::max<std::int64_t>(1, c.hidden / c.heads);
        c.embedDim = c.hidden;
        if (m_traits.family == Family::Llama) {
            const bool missing = !m_document.contains("num_key_value_heads");
            const std::int64_t fallback = missing && m_traits.kvHeads > 0 ? m_traits.kvHeads : c.heads;
            c.kvHeads = m_reader.integer("num_key_value_heads", fallback, 1, kMostHeads);
            if (m_problems.empty() && !m_reader.has("head_dim") && c.hidden % c.heads != 0) {
                m_reader.refuse(m_keys.hidden,
                                fmt::format("{} is not divisible by {} {}", c.hidden, m_keys.heads, c.heads));
            }
            c.headDim = m_reader.integer("head_dim", c.headDim, 1, kMostWidth);
        }
    }

    void readCommon()
    {
        ModelConfig& c = m_config;
        c.tied = m_reader.boolean("tie_word_embeddings", m_traits.tied);
        // OPT's layer norms have no key for it.
        c.normEps =
            m_traits.family == Family::Opt ? m_traits.normEps : m_reader.number(m_keys.normEps, m_traits.normEps, 0, 1);
        c.initStd = m_reader.number(m_traits.family == Family::Opt ? "init_std" : "initializer_range", 0.02, 0, 100);
        const bool hiddenAct = m_traits.family == Family::GptNeox || m_traits.family == Family::Llama;
        const std::string key = hiddenAct ? "hidden_act" : "activation_function";
        const std::string text = m_reader.text(key, m_traits.activation);
        if (const auto known = activationFromName(text)) {
            c.activation = *known;
        } else {
            m_reader.refuse(key, fmt::format("{} is not supported (relu, gelu, gelu_new, gelu_fast, "
                                             "gelu_pytorch_tanh, silu and swish are)",
                                             shortText(Json(text))));
        }
    }

    void readOpt()
    {
        ModelConfig& c = m_config;
        c.preNorm = m_reader.boolean("do_layer_norm_before", true);
        c.finalNorm = c.preNorm && !m_reader.boolean("_remove_final_layer_norm", false);
        c.affineNorm = m_reader.boolean("layer_norm_elementwise_affine", true);
        c.linearBias = m_reader.boolean("enable_bias", true);
        c.qkvBias = c.outBias = c.mlpBias = c.linearBias;
        c.embedDim = m_reader.integer("word_embed_proj_dim", c.hidden, 1, kMostWidth);
    }

    void readRotaryFamily()
    {
        ModelConfig& c = m_config;
        if (m_traits.type == "gpt_neox") {
            c.parallelResidual = m_reader.boolean("use_parallel_residual", true);
            c.qkvBias = c.outBias = m_reader.boolean("attention_bias", true);
        } else if (m_traits.type == "llama") {
            c.qkvBias = c.outBias = m_reader.boolean("attention_bias", false);
            c.mlpBias = m_reader.boolean("mlp_bias", false);
            refuseTrue("use_sliding_window");
            refuseSet("sliding_window");
        } else {
            c.qkvBias = m_traits.type == "qwen2";
            if (m_traits.type == "mistral") {
                refuseTrue("attention_bias");
            }
            refuseTrue("mlp_bias");
            readSlidingWindow();
        }
        refuseOtherLayerTypes();
        readRope();
    }

    void refuseTrue(const std::string& key)
    {
        if (m_reader.boolean(key, false)) {
            m_reader.refuse(key, fmt::format("true is not supported for model type {}", m_traits.type));
        }
    }

    void refuseSet(const std::string& key)
    {
        const Json* value = m_reader.find(key);
        if (value != nullptr && !isNeutral(*value, 0)) {
            m_reader.refuse(key,
                            fmt::format("{} is not supported for model type {}", shortText(*value), m_traits.type));
        }
    }

    void readSlidingWindow()
    {
        if (m_traits.type == "mistral") {
            // A missing key is the library's 4096, null is no window.
            const std::int64_t fallback = m_document.contains("sliding_window") ? 0 : 4096;
            m_config.slidingWindow = m_reader.integer("sliding_window", fallback, 1, kMostPositions);
            return;
        }
        const std::int64_t window =
            m_reader.integer("sliding_window", m_document.contains("sliding_window") ? 0 : 4096, 0, kMostPositions);
        if (!m_reader.boolean("use_sliding_window", false)) {
            return;
        }
        const std::int64_t fullLayers = m_reader.integer("max_window_layers", 28, 0, kMostPositions);
        bool slides = fullLayers < m_config.layers;
        if (const Json* types = m_reader.find("layer_types"); types != nullptr && types->is_array()) {
            slides = std::find(types->begin(), types->end(), "sliding_attention") != types->end();
        }
        m_config.slidingWindow = slides ? window : 0;
    }

    void refuseOtherLayerTypes()
    {
        const Json* types = m_reader.find("layer_types");
        if (types == nullptr || !types->is_array()) {
            return;
        }
        for (const Json& type : *types) {
            const bool sliding = type == "sliding_attention" && m_traits.type != "llama" && m_traits.type != "gpt_neox";
            if (type != "full_attention" && !sliding) {
                m_reader.refuse("layer_types", shortText(type) + " is not supported (full_attention is)");
                return;
            }
        }
    }

    // Older releases write rope_theta, rope_scaling, rotary_emb_base and rotary_pct beside the other keys, newer ones
    // put all of it under rope_parameters; rope_scaling wins where both stand, as in the library.
    void readRope()
    {
        ModelConfig& c = m_config;
        const bool neox = m_traits.type == "gpt_neox";
        const Json& object = m_reader.child(m_keys.ropeScaling);
        ObjectReader rope(object, m_keys.ropeScaling, m_problems, ObjectReader::Null::IsAbsent);
        const std::string thetaKey = neox ? "rotary_emb_base" : "rope_theta";
        const double theta = m_reader.number(thetaKey, 10000, 0, kMostNumber);
        c.ropeTheta = rope.number("rope_theta", theta, 0, kMostNumber);
        const double usualFraction = neox ? m_reader.number("rotary_pct", 0.25, 0, 1) : 1.0;
        c.rotaryFraction = rope.number("partial_rotary_factor", usualFraction, 0, 1);
        if (neox) {
            requireSame("rope_theta", c.ropeTheta, "rotary_emb_base");
        } else if (c.rotaryFraction != 1) {
            rope.refuse("partial_rotary_factor",
                        fmt::format("{} is not supported for model type {} (1 is)", c.rotaryFraction, m_traits.type));
        }
        requireSame("partial_rotary_factor", c.rotaryFraction, neox ? "rotary_pct" : "1");
        readScaling(rope);
        refuseOtherRopeKeys(object, rope);
    }

    // Positions of several kinds (by layer, of images) hide under keys of their own.
    static void refuseOtherRopeKeys(const Json& object, ObjectReader& rope)
    {
        static const std::vector<std::string> known{"type",
                                                    "rope_type",
                                                    "rope_theta",
                                                    "partial_rotary_factor",
                                                    "factor",
                                                    "original_max_position_embeddings",
                                                    "low_freq_factor",
                                                    "high_freq_factor",
                                                    "attention_factor",
                                                    "beta_fast",
                                                    "beta_slow",
                                                    "mscale",
                                                    "mscale_all_dim",
                                                    "truncate",
                                                    "finetuned"};
        for (const auto& [key, value] : object.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end() && !value.is_null()) {
                rope.refuse(key, "is not supported among rotary parameters");
            }
        }
    }

    // A key that the library does not read for this type must not say something else than what is used.
    void requireSame(const std::string& key, double used, const std::string& means)
    {
        const double written = m_reader.number(key, used, 0, kMostNumber);
        if (written != used) {
            m_reader.refuse(key, fmt::format("{} is not supported for model type {}, which takes {} from {}", written,
                                             m_traits.type, used, means));
        }
    }

    void readScaling(ObjectReader& rope)
    {
        RopeScaling& r = m_config.ropeScaling;
        const std::string older = rope.text("type", "default");
        const std::string type = rope.text("rope_type", older);
        const auto& key = rope.has("rope_type") ? "rope_type" : "type";
        if (type == "default") {
            return;
        }
        if (type == "linear") {
            r.kind = RopeScaling::Kind::Linear;
        } else if (type == "dynamic") {
            r.kind = RopeScaling::Kind::DynamicNtk;
        } else if (type == "llama3") {
            r.kind = RopeScaling::Kind::Llama3;
        } else if (type == "yarn") {
            r.kind = RopeScaling::Kind::Yarn;
        } else {
            rope.refuse(key, fmt::format("{} is not supported (default, linear, dynamic, llama3 and yarn are)",
                                         shortText(Json(type))));
            return;
        }
        readScalingNumbers(rope, r);
    }

    void readScalingNumbers(ObjectReader& rope, RopeScaling& r)
    {
        // The pre-training length may stand beside the other keys, and has precedence there.
        r.originalMaxPositions = m_config.maxPositions;
        if (r.kind == RopeScaling::Kind::Llama3 || r.kind == RopeScaling::Kind::Yarn) {
            const std::string original = "original_max_position_embeddings";
            const std::int64_t inside = rope.integer(original, m_config.maxPositions, 1, kMostPositions);
            r.originalMaxPositions = m_reader.integer(original, inside, 1, kMostPositions);
        }
        const bool yarn = r.kind == RopeScaling::Kind::Yarn;
        if (!rope.has("factor") && !yarn) {
            rope.refuse("factor", "is missing (a positive number)");
        }
        const double implied = static_cast<double>(m_config.maxPositions) / static_cast<double>(r.originalMaxPositions);
        r.factor = rope.number("factor", implied, 0, kMostNumber);
        if (r.kind == RopeScaling::Kind::Llama3) {
            for (const char* key : {"low_freq_factor", "high_freq_factor"}) {
                if (!rope.has(key)) {
                    rope.refuse(key, "is missing (a positive number)");
                }
            }
            r.lowFreqFactor = rope.number("low_freq_factor", 1, 0, kMostNumber);
            r.highFreqFactor = rope.number("high_freq_factor", 4, 0, kMostNumber);
        }
        if (yarn) {
            readYarn(rope, r);
        }
    }

    // Peng et al., YaRN (2023), with the library's extension by two magnitude scales.
    void readYarn(ObjectReader& rope, RopeScaling& r)
    {
        const auto magnitude = [&r](double scale) {
            return r.factor <= 1 ? 1.0 : 0.1 * scale * std::log(r.factor) + 1.0;
        };
        const double scale = rope.number("mscale", 0, 0, kMostNumber);
        const double scaleAll = rope.number("mscale_all_dim", 0, 0, kMostNumber);
        const double usual = scale != 0 && scaleAll != 0 ? magnitude(scale) / magnitude(scaleAll) : magnitude(1);
        r.attentionFactor = rope.number("attention_factor", usual, 0, kMostNumber);
        if (r.attentionFactor == 0) {
            rope.refuse("attention_factor", "0 is not above 0");
        }
        const double fast = rope.number("beta_fast", 32, 0, kMostNumber);
        const double slow = rope.number("beta_slow", 1, 0, kMostNumber);
        r.betaFast = fast == 0 ? 32 : fast; // as the library's "or" does
        r.betaSlow = slow == 0 ? 1 : slow;
        r.truncate = rope.boolean("truncate", true);
    }

    const Json& m_document;
    const TypeTraits& m_traits;
    Problems& m_problems;
    ObjectReader m_reader;
    ShapeKeys m_keys;
    ModelConfig m_config;
};

} // namespace

Result<ModelConfig> modelConfigFromHuggingFace(const nlohmann::json& document, const std::string& where)
{
    try {
        if (!document.is_object()) {
            return badInput(where, "an object is needed, " + shortText(document) + " was given");
        }
        const auto type = document.find("model_type");
        if (type == document.end() || !type->is_string()) {
            return badInput(where, fmt::format("model_type is missing (one of {})", kSupportedTypes));
        }
        const auto traits = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&type](const TypeTraits& known) { return *type == known.type; });
        if (traits == kTypes.end()) {
            return badInput(where,
                            fmt::format("model_type: {} is not supported ({} are)", shortText(*type), kSupportedTypes));
        }
        Problems problems;
        const ModelConfig config = HuggingFaceReader(document, *traits, problems).read();
        if (!problems.empty()) {
            return badInput(where, problemText(problems.front()));
        }
        return config;
    } catch (const std::exception& e) {
        return badInput(where, fmt::format("not a model configuration ({})", e.what()));
    }
}

Result<ModelConfig> loadModelConfig(const std::filesystem::path& configFile)
{
    // Python writes bare NaN and Infinity, which keys that are read here never hold.
    const auto document = readJsonFile(configFile, {.nonFiniteAsNull = true});
    if (!document) {
        return document.error();
    }
    return modelConfigFromHuggingFace(*document, configFile.string());
}

} // namespace peakscope
