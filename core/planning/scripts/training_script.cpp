// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/scripts/training_script.h"

#include "core/base/json/json_access.h"
#include "core/model/adapter_specs.h"
#include "core/model/catalogue.h"
#include "core/planning/scripts/transformers_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// An optimiser of ours in theirs. Where Trainer has no word for it, it is made before and handed over.
struct OptimizerWords {
    std::string_view ours;
    std::string_view trainer; // optim="…"; empty: none means the same
    std::string_view made;    // the class and its settings, where it is made before; empty: never
    double weightDecay = 0;
    bool bitsandbytes = false;
    bool pages = false; // it can
};

// Adam without decay is AdamW without decay, whose word Trainer knows.
constexpr std::array<OptimizerWords, 7> kOptimizers{
    {{"adam", "adamw_torch", "torch.optim.Adam"},
     {"adamw", "adamw_torch", "torch.optim.AdamW", 0.01},
     {"sgd", "sgd", "torch.optim.SGD"},
     {"rmsprop", "rmsprop", "torch.optim.RMSprop"},
     {"lion", "lion_32bit", "", 0, true},
     {"adamw8bit", "", "bitsandbytes.optim.AdamW8bit", 0.01, true, true},
     {"adamw8bit_embeddings32", "adamw_bnb_8bit", "", 0.01, true, true}}};

// Model types whose loss Liger computes with the head, chunk by chunk.
constexpr std::array<std::string_view, 4> kLigerTypes{"llama", "mistral", "qwen2", "qwen3"};

const OptimizerWords& wordsFor(OptimizerKind optimizer)
{
    const auto found = std::find_if(kOptimizers.begin(), kOptimizers.end(),
                                    [&](const OptimizerWords& words) { return words.ours == optimizer->name; });
    return found == kOptimizers.end() ? kOptimizers.front() : *found;
}

// The class or word of the same optimiser whose states are paged.
constexpr std::array<std::array<std::string_view, 2>, 2> kPaged{
    {{"bitsandbytes.optim.AdamW8bit", "bitsandbytes.optim.PagedAdamW8bit"}, {"adamw_bnb_8bit", "paged_adamw_8bit"}}};

std::string_view paged(std::string_view words)
{
    const auto found = std::ranges::find(kPaged, words, [](const auto& pair) { return pair[0]; });
    return found == kPaged.end() ? words : (*found)[1];
}

bool isSixteenBit(Dtype dtype)
{
    return dtype == Dtype::BFloat16 || dtype == Dtype::Float16;
}

// What the experiment wants and Trainer has not; empty: nothing.
std::string missingFrom(const Experiment& experiment)
{
    const TrainingOptions& t = experiment.training;
    const Quantization quantization = experiment.model.config.quantization;
    if (experiment.kind != ExperimentKind::Memory)
        return "Trainer computes no second derivatives";
    if (t.clipping != Clipping::None)
        return "Trainer has no private training; that needs Opacus";
    if (t.sharding != Sharding::None || experiment.ranks > 1)
        return "scripts are for one device";
    if (t.masters)
        return "Trainer keeps no float32 masters beside 16-bit weights";
    if (t.rounding == WeightRounding::Kahan)
        return "Trainer has no Kahan rounding";
    if (t.rounding == WeightRounding::Stochastic)
        return "Trainer has no stochastic rounding";
    if (t.implementation == Implementation::InBackward)
        return "Trainer does not update in backward";
    if (t.attention == AttentionKind::Chunked)
        return "transformers has no attention in chunks";
    if (quantization == Quantization::Int8)
        return "bitsandbytes computes with int8 weights in another way";
    if (quantization != Quantization::None && t.lora.rank == 0)
        return "Trainer trains weights in 4 bits by adapters only";
    if (t.optimizer->name != wordsFor(t.optimizer).ours)
        return fmt::format("Trainer has no {}", t.optimizer->name);
    return "";
}

std::string torchType(std::string_view word)
{
    return fmt::format("torch.{}", word);
}

// JSON as Python writes it, but for lists within lists, which both write alike.
std::string python(const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    if (value.is_null())
        return "None";
    if (value.is_object()) {
        std::vector<std::string> members;
        for (const auto& [key, member] : value.items())
            members.push_back(fmt::format("{}: {}", Json(key).dump(), python(member)));
        return fmt::format("{{{}}}", fmt::join(members, ", "));
    }
    if (value.is_array()) {
        std::vector<std::string> members;
        for (const Json& member : value)
            members.push_back(python(member));
        return fmt::format("[{}]", fmt::join(members, ", "));
    }
    return value.dump();
}

// Layers that get an adapter, by the shortest ends of their names that mean no other layer.
Result<std::vector<std::string>> adapterTargets(const ModelConfig& config, const LoraOptions& lora)
{
    const auto plan = adapterPlan(config, lora);
    if (!plan)
        return plan.error();
    const auto end = [](const std::string& name, int parts) {
        std::size_t at = name.size();
        for (int i = 0; i < parts && at != std::string::npos && at > 0; ++i)
            at = name.rfind('.', at - 1);
        return at == std::string::npos ? name : name.substr(at + 1);
    };
    const std::vector<LinearShape> all = linearLayers(config);
    const auto chosen = [&](const std::string& name) {
        return std::any_of(plan->layers.begin(), plan->layers.end(),
                           [&](const LinearShape& layer) { return layer.name == name; });
    };
    std::vector<std::string> targets;
    for (const LinearShape& layer : plan->layers) {
        const bool others = std::any_of(all.begin(), all.end(), [&](const LinearShape& other) {
            return end(other.name, 1) == end(layer.name, 1) && !chosen(other.name);
        });
        const std::string target = end(layer.name, others ? 2 : 1);
        if (std::find(targets.begin(), targets.end(), target) == targets.end())
            targets.push_back(target);
    }
    return targets;
}

// The program in the order of its lines.
class ScriptWriter
{
public:
    ScriptWriter(const Experiment& experiment, const ScriptOptions& options)
        : m_experiment(experiment), m_training(experiment.training), m_options(options),
          m_quantized(experiment.model.config.quantization != Quantization::None),
          m_words(wordsFor(experiment.training.optimizer))
    {}

    Result<TrainingScript> write()
    {
        if (const std::string missing = missingFrom(m_experiment); !missing.empty())
            return badInput("", missing);
        if (const Status model = chooseModel(); !model)
            return model.error();
        const bool chunked = m_training.lossHead == LossHead::Chunked;
        if (chunked && std::find(kLigerTypes.begin(), kLigerTypes.end(), m_script.modelType) == kLigerTypes.end())
            return badInput(
                "", fmt::format("Liger has no chunked loss for {}; set training.loss_head=naive", m_script.modelType));
        if (chunked)
            m_script.packages.insert(m_script.packages.end(), {"liger-kernel", "triton"});
        head();
        model();
        if (m_training.lora.rank > 0) {
            if (const Status adapted = adapters(); !adapted)
                return adapted.error();
        }
        data();
        trainer();
        return std::move(m_script);
    }

private:
    template <typename... Arguments>
    void line(fmt::format_string<Arguments...> text, Arguments&&... arguments)
    {
        m_script.text += fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
    }

    // Where weights come from. Those in 4 bits are packed while a file is read, so there has to be one.
    Status chooseModel()
    {
        m_script.packages = {"transformers", "accelerate"};
        const auto shape = transformersConfig(m_experiment.model.config);
        const std::string& folder = m_experiment.model.dir;
        if (!folder.empty()) {
            ModelConfig asked = m_experiment.model.config;
            asked.quantization = Quantization::None;
            const auto stored = loadModelConfig(fs::path(folder) / "config.json");
            if (stored && *stored == asked) {
                m_script.loads = fs::absolute(folder).lexically_normal().string();
                if (const auto document = readJsonFile(fs::path(folder) / "config.json", {.nonFiniteAsNull = true}))
                    m_script.modelType = document->value("model_type", "");
                return Done{};
            }
        }
        if (!shape)
            return shape.error();
        m_config = *shape;
        m_script.modelType = m_config["model_type"].get<std::string>();
        if (m_quantized) {
            m_script.loads = m_options.modelFolder;
            m_script.writtenConfig = m_config;
            // Of the file, which in float32 may be too long to be mapped; what is not packed is converted.
            m_script.writtenConfig["torch_dtype"] =
                name(isSixteenBit(m_experiment.dtype) ? m_experiment.dtype : Dtype::BFloat16);
        }
        return Done{};
    }

    std::string weightType() const { return torchType(name(m_experiment.dtype)); }
    std::string computeType() const
    {
        return torchType(m_training.amp == Amp::None ? name(m_experiment.dtype) : name(m_training.amp));
    }
    bool makesOptimizer() const
    {
        const bool loop = m_training.implementation == Implementation::Loop && !m_words.bitsandbytes;
        return m_words.trainer.empty() || loop;
    }

    void head()
    {
        line("# {}", m_options.title);
        line("# Written by peakscope-cli recommend for {}.", m_options.card);
        line("# Options that change memory are all written out, also where they are the default.");
        if (makesOptimizer() && m_words.bitsandbytes)
            line("import bitsandbytes");
        line("import torch");
        if (m_training.lora.rank > 0)
            line("from peft import LoraConfig, get_peft_model");
        std::vector<std::string> names{"AutoModelForCausalLM", "Trainer", "TrainingArguments"};
        if (m_quantized)
            names.insert(names.begin() + 1, "BitsAndBytesConfig");
        if (m_script.loads.empty())
            names.insert(names.begin(), "AutoConfig");
        line("from transformers import {}\n", fmt::join(names, ", "));
        if (m_quantized || m_words.bitsandbytes)
            m_script.packages.emplace_back("bitsandbytes");
    }

    void model()
    {
        std::string attention;
        if (m_training.attention == AttentionKind::Math)
            attention = ", attn_implementation=\"eager\"";
        else if (m_training.attention == AttentionKind::Fused)
            attention = ", attn_implementation=\"sdpa\"";
        if (m_script.loads.empty())
            fresh(attention);
        else
            loaded(attention);
        line("model.config.use_cache = False  # a cache of keys is of no use in training");
    }

    void fresh(const std::string& attention)
    {
        const auto known = findModel(m_experiment.model.id);
        line("# A shape with random weights. To fine-tune, load yours instead:");
        line("#   model = AutoModelForCausalLM.from_pretrained(\"{}\", torch_dtype={}, device_map={{\"\": 0}})",
             known && !known->hub.empty() ? known->hub : "FOLDER", weightType());
        line("config = AutoConfig.for_model(\n    \"{}\",", m_script.modelType);
        for (const auto& [key, value] : m_config.items()) {
            if (key != "model_type")
                line("    {}={},", key, python(value));
        }
        line(")\nwith torch.device(\"cuda\"):");
        line("    model = AutoModelForCausalLM.from_config(config, torch_dtype={}{})", weightType(), attention);
    }

    void loaded(const std::string& attention)
    {
        if (m_quantized) {
            line("quantization = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type=\"nf4\",");
            line("    bnb_4bit_use_double_quant={},",
                 python(m_experiment.model.config.quantization == Quantization::Nf4Nested));
            line("    bnb_4bit_compute_dtype={},\n)", computeType());
        }
        if (!m_script.writtenConfig.is_null())
            line("# Put the weights (*.safetensors) into this folder, or name another.");
        line("model = AutoModelForCausalLM.from_pretrained(\n    {},", Json(m_script.loads).dump());
        line("    torch_dtype={},\n    device_map={{\"\": 0}},", weightType());
        if (m_quantized)
            line("    quantization_config=quantization,");
        if (!attention.empty())
            line("    {},", attention.substr(2));
        line(")");
    }

    Status adapters()
    {
        const auto targets = adapterTargets(m_experiment.model.config, m_training.lora);
        if (!targets)
            return targets.error();
        m_script.packages.emplace_back("peft");
        line("lora = LoraConfig(\n    task_type=\"CAUSAL_LM\",\n    r={},\n    lora_alpha={},", m_training.lora.rank,
             m_training.lora.alpha);
        line("    lora_dropout=0.0,\n    target_modules={},\n)", python(Json(*targets)));
        // peft keeps adapters in float32 unless it is told not to.
        line("model = get_peft_model(model, lora, autocast_adapter_dtype={})",
             python(!isSixteenBit(m_experiment.dtype)));
        return Done{};
    }

    void data()
    {
        const DataOptions& data = m_experiment.data;
        line("\n# Random tokens. Your own data set goes here: rows of input_ids and labels, {} tokens each.", data.seq);
        line("rows = torch.randint(model.config.vocab_size, ({}, {}))", 4 * data.batch, data.seq);
        line("data = [{{\"input_ids\": row, \"labels\": row}} for row in rows]\n");
    }

    void trainer()
    {
        const std::int64_t batch = m_experiment.data.batch;
        const std::int64_t most = m_options.rowsAPass > 0 ? m_options.rowsAPass : m_experiment.data.maxPhysicalBatch;
        const std::int64_t rows = rowsOfPass(batch, most);
        line("arguments = TrainingArguments(\n    output_dir={},", Json(m_options.outputFolder).dump());
        line("    max_steps=100,\n    per_device_train_batch_size={},\n    gradient_accumulation_steps={},", rows,
             batch / rows);
        line("    bf16={}, fp16={},", python(m_training.amp == Amp::BFloat16), python(m_training.amp == Amp::Float16));
        if (!makesOptimizer())
            line("    optim=\"{}\",", m_options.pages ? paged(m_words.trainer) : m_words.trainer);
        if (!makesOptimizer())
            line("    learning_rate={}, weight_decay={},", python(Json(m_training.lr)),
                 python(Json(m_words.weightDecay)));
        line("    max_grad_norm=1.0,");
        if (m_training.checkpointing)
            line("    gradient_checkpointing=True,\n    gradient_checkpointing_kwargs={{\"use_reentrant\": False}},");
        else
            line("    gradient_checkpointing=False,");
        const bool chunked = m_training.lossHead == LossHead::Chunked;
        line("    use_liger_kernel={},{}", python(chunked), chunked ? "  # the loss with the head, in chunks" : "");
        line("    save_strategy=\"no\", report_to=\"none\",\n)");
        if (makesOptimizer())
            optimizer();
        line("trainer = Trainer(model=model, args=arguments, train_dataset=data{})\ntrainer.train()",
             makesOptimizer() ? ", optimizers=(optimizer, None)" : "");
    }

    void optimizer()
    {
        line("trained = [parameter for parameter in model.parameters() if parameter.requires_grad]");
        const bool decays = m_words.bitsandbytes || m_training.optimizer->name == "adamw";
        line("optimizer = {}(trained, lr={}{}{})", m_options.pages ? paged(m_words.made) : m_words.made,
             python(Json(m_training.lr)),
             decays ? fmt::format(", weight_decay={}", python(Json(m_words.weightDecay))) : "",
             m_words.bitsandbytes                                ? ""
             : m_training.implementation == Implementation::Loop ? ", foreach=False"
                                                                 : ", foreach=True");
    }

    const Experiment& m_experiment;
    const TrainingOptions& m_training;
    const ScriptOptions& m_options;
    bool m_quantized;
    const OptimizerWords& m_words;
    Json m_config;
    TrainingScript m_script;
};

} // namespace

Result<TrainingScript> trainingScript(const Experiment& experiment, const ScriptOptions& options)
{
    return ScriptWriter(experiment, options).write();
}

std::int64_t rowsOfPass(std::int64_t batch, std::int64_t most)
{
    std::int64_t rows = std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, batch));
    while (batch % rows != 0)
        --rows;
    return rows;
}

std::string scriptName(const Experiment& experiment, bool pages)
{
    const TrainingOptions& t = experiment.training;
    std::vector<std::string> words{t.amp == Amp::None ? std::string(name(experiment.dtype))
                                                      : fmt::format("{}-autocast", name(t.amp))};
    if (t.lora.rank > 0)
        words.push_back(fmt::format("lora{}", t.lora.rank));
    if (experiment.model.config.quantization != Quantization::None)
        words.emplace_back(name(experiment.model.config.quantization));
    if (t.optimizer != defaultOptimizer())
        words.push_back((pages && wordsFor(t.optimizer).pages ? "paged-" : "") + t.optimizer->name);
    if (t.implementation == Implementation::Loop)
        words.emplace_back("loop");
    if (t.checkpointing)
        words.emplace_back("checkpointing");
    if (t.lossHead == LossHead::Chunked)
        words.emplace_back("chunked");
    if (t.attention != AttentionKind::Auto)
        words.push_back(fmt::format("{}-attention", name(t.attention)));
    words.push_back(fmt::format("{}x{}", experiment.data.batch, experiment.data.seq));
    return fmt::format("{}", fmt::join(words, "-"));
}

} // namespace peakscope
