// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/scripts/script_writer.h"

#include "core/base/json/json_access.h"
#include "core/model/adapter_specs.h"
#include "core/model/catalogue.h"
#include "core/planning/scripts/transformers_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Adam without decay is AdamW without decay, whose word Trainer knows.
constexpr std::array<OptimizerWords, 9> kOptimizers{
    {{"adam", "adamw_torch", "torch.optim.Adam"},
     {"adamw", "adamw_torch", "torch.optim.AdamW", 0.01},
     {"sgd", "sgd", "torch.optim.SGD"},
     {"rmsprop", "rmsprop", "torch.optim.RMSprop"},
     {"adagrad", "adagrad", "torch.optim.Adagrad"},
     {"adafactor", "", "torch.optim.Adafactor"}, // Trainer's word means its own Adafactor
     {"lion", "lion_32bit", "bitsandbytes.optim.Lion", 0, true},
     {"adamw8bit", "", "bitsandbytes.optim.AdamW8bit", 0.01, true, "", "bitsandbytes.optim.PagedAdamW8bit"},
     {"adamw8bit_embeddings32", "adamw_bnb_8bit", "", 0.01, true, "paged_adamw_8bit", ""}}};

// Model types whose loss Liger computes with the head, chunk by chunk.
constexpr std::array<std::string_view, 4> kLigerTypes{"llama", "mistral", "qwen2", "qwen3"};

std::string torchType(std::string_view word)
{
    return fmt::format("torch.{}", word);
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

} // namespace

bool hasLigerLoss(std::string_view modelType)
{
    return std::find(kLigerTypes.begin(), kLigerTypes.end(), modelType) != kLigerTypes.end();
}

const OptimizerWords& wordsFor(OptimizerKind optimizer)
{
    const auto found = std::find_if(kOptimizers.begin(), kOptimizers.end(),
                                    [&](const OptimizerWords& words) { return words.ours == optimizer->name; });
    return found == kOptimizers.end() ? kOptimizers.front() : *found;
}

bool isSixteenBit(Dtype dtype)
{
    return dtype == Dtype::BFloat16 || dtype == Dtype::Float16;
}

// But for lists within lists, which both write alike.
std::string pythonText(const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    if (value.is_null())
        return "None";
    if (value.is_object()) {
        std::vector<std::string> members;
        for (const auto& [key, member] : value.items())
            members.push_back(fmt::format("{}: {}", Json(key).dump(), pythonText(member)));
        return fmt::format("{{{}}}", fmt::join(members, ", "));
    }
    if (value.is_array()) {
        std::vector<std::string> members;
        for (const Json& member : value)
            members.push_back(pythonText(member));
        return fmt::format("[{}]", fmt::join(members, ", "));
    }
    return value.dump();
}

ScriptWriter::ScriptWriter(const Experiment& experiment, const ScriptOptions& options)
    : m_experiment(experiment), m_training(experiment.training), m_options(options),
      m_words(wordsFor(experiment.training.optimizer))
{}

std::string ScriptWriter::missingAnywhere() const
{
    const Quantization quantization = m_experiment.model.config.quantization;
    if (m_experiment.kind != ExperimentKind::Memory)
        return "Trainer computes no second derivatives";
    if (m_training.masters)
        return "Trainer keeps no float32 masters beside 16-bit weights";
    if (m_training.rounding == WeightRounding::Kahan)
        return "Trainer has no Kahan rounding";
    if (m_training.rounding == WeightRounding::Stochastic)
        return "Trainer has no stochastic rounding";
    if (m_training.implementation == Implementation::InBackward)
        return "Trainer does not update in backward";
    if (m_training.attention == AttentionKind::Chunked)
        return "transformers has no attention in chunks";
    if (quantization == Quantization::Int8)
        return "bitsandbytes computes with int8 weights in another way";
    if (quantization != Quantization::None && !adapted())
        return "Trainer trains weights in 4 bits by adapters only";
    if (m_training.optimizer->name != m_words.ours)
        return fmt::format("Trainer has no {}", m_training.optimizer->name);
    return "";
}

Status ScriptWriter::chooseModel()
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
    if (quantized()) {
        m_script.loads = m_options.modelFolder;
        m_script.writtenConfig = m_config;
        // Of the file, which in float32 may be too long to be mapped; what is not packed is converted.
        m_script.writtenConfig["torch_dtype"] =
            name(isSixteenBit(m_experiment.dtype) ? m_experiment.dtype : Dtype::BFloat16);
    }
    return Done{};
}

Status ScriptWriter::chooseLoss()
{
    if (!chunked())
        return Done{};
    if (!hasLigerLoss(m_script.modelType))
        return badInput(
            "", fmt::format("Liger has no chunked loss for {}; set training.loss_head=naive", m_script.modelType));
    m_script.packages.insert(m_script.packages.end(), {"liger-kernel", "triton"});
    return Done{};
}

std::string ScriptWriter::source() const
{
    const auto known = findModel(m_experiment.model.id);
    return known && !known->hub.empty() ? known->hub : "FOLDER";
}

std::string ScriptWriter::weightType() const
{
    return torchType(name(m_experiment.dtype));
}

std::string ScriptWriter::computeType() const
{
    return torchType(m_training.amp == Amp::None ? name(m_experiment.dtype) : name(m_training.amp));
}

std::pair<std::int64_t, std::int64_t> ScriptWriter::passes() const
{
    const std::int64_t step = rowsOfStep(m_experiment);
    const std::int64_t most = m_options.rowsAPass > 0 ? m_options.rowsAPass : m_experiment.data.maxPhysicalBatch;
    const std::int64_t rows = rowsOfPass(step, most);
    return {rows, step / rows};
}

void ScriptWriter::head(std::vector<std::string> imports, const std::vector<std::string>& names)
{
    line("# {}", m_options.title);
    line("# Written by peakscope-cli recommend for {}.", m_options.card);
    line("# Options that change memory are all written out, also where they are the default.");
    if (adapted())
        imports.emplace_back("from peft import LoraConfig, get_peft_model");
    // Modules before what is taken out of others, each in the order of their names.
    std::ranges::sort(imports, {}, [](const std::string& text) { return std::pair(text.starts_with("from"), text); });
    for (const std::string& text : imports)
        line("{}", text);
    std::vector<std::string> all{"AutoModelForCausalLM"};
    if (quantized())
        all.emplace_back("BitsAndBytesConfig");
    if (m_script.loads.empty())
        all.insert(all.begin(), "AutoConfig");
    all.insert(all.end(), names.begin(), names.end());
    line("from transformers import {}\n", fmt::join(all, ", "));
    if (quantized() || m_words.bitsandbytes)
        m_script.packages.emplace_back("bitsandbytes");
}

void ScriptWriter::model(std::string_view device, std::string_view card)
{
    std::string attention;
    if (m_training.attention == AttentionKind::Math)
        attention = ", attn_implementation=\"eager\"";
    else if (m_training.attention == AttentionKind::Fused)
        attention = ", attn_implementation=\"sdpa\"";
    if (m_script.loads.empty())
        freshWeights(device, card, attention);
    else
        storedWeights(card, attention);
    line("model.config.use_cache = False  # a cache of keys is of no use in training");
}

void ScriptWriter::freshWeights(std::string_view device, std::string_view card, const std::string& attention)
{
    line("# A shape with random weights. To fine-tune, load yours instead:");
    line("#   model = AutoModelForCausalLM.from_pretrained(\"{}\", torch_dtype={}{})", source(), weightType(),
         card.empty() ? "" : fmt::format(", device_map={{\"\": {}}}", card));
    line("config = AutoConfig.for_model(\n    \"{}\",", m_script.modelType);
    for (const auto& [key, value] : m_config.items()) {
        if (key != "model_type")
            line("    {}={},", key, pythonText(value));
    }
    line(")\n{}", device);
    line("    model = AutoModelForCausalLM.from_config(config, torch_dtype={}{})", weightType(), attention);
}

void ScriptWriter::storedWeights(std::string_view card, const std::string& attention)
{
    if (quantized()) {
        line("quantization = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type=\"nf4\",");
        line("    bnb_4bit_use_double_quant={},",
             pythonText(m_experiment.model.config.quantization == Quantization::Nf4Nested));
        line("    bnb_4bit_compute_dtype={},\n)", computeType());
    }
    if (!m_script.writtenConfig.is_null())
        line("# Put the weights (*.safetensors) into this folder, or name another.");
    line("model = AutoModelForCausalLM.from_pretrained(\n    {},", Json(m_script.loads).dump());
    line("    torch_dtype={},", weightType());
    if (!card.empty())
        line("    device_map={{\"\": {}}},", card);
    if (quantized())
        line("    quantization_config=quantization,");
    if (!attention.empty())
        line("    {},", attention.substr(2));
    line(")");
}

Status ScriptWriter::adapters()
{
    if (!adapted())
        return Done{};
    const auto targets = adapterTargets(m_experiment.model.config, m_training.lora);
    if (!targets)
        return targets.error();
    m_script.packages.emplace_back("peft");
    line("lora = LoraConfig(\n    task_type=\"CAUSAL_LM\",\n    r={},\n    lora_alpha={},", m_training.lora.rank,
         m_training.lora.alpha);
    line("    lora_dropout=0.0,\n    target_modules={},\n)", pythonText(Json(*targets)));
    // peft keeps adapters in float32 unless it is told not to.
    line("model = get_peft_model(model, lora, autocast_adapter_dtype={})",
         pythonText(!isSixteenBit(m_experiment.dtype) || m_training.lora.dtype == AdapterType::Float32));
    return Done{};
}

void ScriptWriter::rows(std::int64_t count)
{
    line("rows = torch.randint(model.config.vocab_size, ({}, {}))", count, m_experiment.data.seq);
}

void ScriptWriter::optimizer(std::string_view maker)
{
    const bool decays = m_words.bitsandbytes || m_training.optimizer->name == "adamw";
    const std::string made(m_options.pages && !m_words.pagedMade.empty() ? m_words.pagedMade : m_words.made);
    const bool together = m_training.implementation == Implementation::Foreach ||
                          (m_training.implementation == Implementation::Auto && m_training.optimizer->foreachByDefault);
    line("trained = [parameter for parameter in model.parameters() if parameter.requires_grad]");
    line("optimizer = {}(trained, {}lr={}{}{})", maker.empty() ? made : std::string(maker),
         maker.empty() ? "" : fmt::format("optimizer_class={}, ", made), pythonText(Json(m_training.lr)),
         decays ? fmt::format(", weight_decay={}", pythonText(Json(m_words.weightDecay))) : "",
         m_words.bitsandbytes ? ""
         : together           ? ", foreach=True"
                              : ", foreach=False");
}

} // namespace peakscope
