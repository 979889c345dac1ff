// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers share: sections, missing members, configurations.
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/results/memory_json.h"

#include <algorithm>
#include <array>
#include <utility>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// A script's key and the experiment's. Benchmarks of the DP-SGD and of the sweep scripts share them.
constexpr std::array<std::pair<const char*, const char*>, 21> kKeys{{
    {"model_name", "/model/id"},
    {"vocab_size", "/model/vocab"},
    {"hidden_dim", "/model/hidden"},
    {"num_layers", "/model/layers"},
    {"num_heads", "/model/heads"},
    {"seq_len", "/data/seq"},
    {"seq_length", "/data/seq"},
    {"batch_size", "/data/batch"},
    {"max_physical_batch_size", "/data/max_physical_batch"},
    {"num_iter", "/training/steps"},
    {"warmup_iter", "/training/warmup_steps"},
    {"learning_rate", "/training/lr"},
    {"sigma", "/training/noise_multiplier"},
    {"max_grad_norm", "/training/max_grad_norm"},
    {"lora_rank", "/training/lora/rank"},
    {"lora_alpha", "/training/lora/alpha"},
    {"amp_dtype", "/training/amp"},
    {"bf16", ""},
    {"use_amp", ""},
    {"is_lora", ""},
    {"mode", ""},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kMethodNames{{
    {"vanilla", "none"},
    {"no_dp", "none"},
    {"no_dp_single", "none"},
    {"grad_materialize", "per_sample"},
    {"ghost", "ghost"},
    {"ghost_fsdp", "ghost"},
    {"ghost_clipping", "ghost"},
    {"ghost_bk", "ghost_bk"},
    {"ghost_fsdp_bk", "ghost_bk"},
    {"bookkeeping", "ghost_bk"},
    {"flash_clip", "flash"},
    {"flash_clipping", "flash"},
    {"flash_clip_bookkeeping", "flash_bk"},
    {"flash_clipping__bookkeeping", "flash_bk"},
}};

} // namespace

std::string atIndex(std::size_t index)
{
    std::string text = "[";
    text += std::to_string(index);
    return text += ']';
}

void sayEndsEarly(RunResult& result, std::uint64_t byte)
{
    result.notes.push_back("the file ends too early, at byte " + std::to_string(byte) + ": what came before is shown");
    result.other["source"]["ends_early"] = true;
    if (result.status == RunStatus::Complete)
        result.status = RunStatus::Interrupted;
}

RunResult importedRun(ResultKind kind)
{
    RunResult result;
    result.kind = kind;
    result.status = RunStatus::Complete;
    return result;
}

void putSection(RunResult& result, const char* key, Json section)
{
    Json sections = {{key, std::move(section)}};
    if (Status merged = mergeSections(result, sections); !merged)
        result.other[key] = std::move(sections[key]);
}

void limitComponents(MemorySection& memory, std::initializer_list<Component> known)
{
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto component = static_cast<Component>(i);
        if (std::find(known.begin(), known.end(), component) != known.end())
            continue;
        memory.missing.push_back("peak_components." + std::string(name(component)));
        memory.missing.push_back("max_components." + std::string(name(component)));
    }
}

MemorySection emptyMemory()
{
    MemorySection memory;
    memory.missing = memoryMembers();
    return memory;
}

void setKnown(MemorySection& memory, std::initializer_list<std::string_view> members)
{
    std::erase_if(memory.missing, [&](const std::string& member) {
        return std::find(members.begin(), members.end(), member) != members.end();
    });
}

std::string clippingOf(std::string_view method)
{
    for (const auto& [name, clipping] : kMethodNames) {
        if (method == name)
            return std::string(clipping);
    }
    // flash, flash_fsdp, flash_fuse, flash_fsdp_fuse, each with or without _bk.
    if (method.starts_with("flash"))
        return method.ends_with("_bk") ? "flash_bk" : "flash";
    return {};
}

Json experimentFrom(const Json& config, ImportLog& log, const std::string& path)
{
    ImportObject object(config, path, log);
    Json experiment = Json::object();
    for (const auto& [key, pointer] : kKeys) {
        const bool known = config.is_object() && config.contains(key) && !config[key].is_null() && *pointer != '\0';
        if (!known)
            continue;
        const bool isText = std::string_view(key) == "model_name" || std::string_view(key) == "amp_dtype";
        const bool isReal = std::string_view(key) == "learning_rate" || std::string_view(key) == "sigma" ||
                            std::string_view(key) == "max_grad_norm" || std::string_view(key) == "lora_alpha";
        Json& target = experiment[Json::json_pointer(pointer)];
        if (isText)
            target = object.text(key).value_or("");
        else if (const auto value = isReal ? std::nullopt : object.integer(key))
            target = *value;
        else if (const auto real = isReal ? object.number(key) : std::nullopt)
            target = *real;
    }
    if (object.boolean("is_lora") == false)
        experiment["training"]["lora"] = {{"rank", 0}};
    const bool half = object.boolean("use_amp").value_or(object.boolean("bf16").value_or(false));
    Json& amp = experiment["training"]["amp"];
    amp = !half ? "none" : amp == "fp16" ? "float16" : "bfloat16";
    if (!config.contains("use_amp") && !config.contains("bf16"))
        experiment["training"].erase("amp");
    if (experiment["training"].empty())
        experiment.erase("training");
    const Json rest = object.rest();
    for (const auto& [key, value] : rest.items()) {
        if (std::none_of(kKeys.begin(), kKeys.end(), [&key = key](const auto& known) { return key == known.first; }))
            experiment[key] = value;
    }
    return experiment;
}

} // namespace peakscope
