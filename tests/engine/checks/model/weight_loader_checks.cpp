// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/model_case.h"
#include "tests/engine/checks/model/model_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Named = std::map<std::string, at::Tensor>;

// A folder that goes away with its checks.
class TemporaryFolder
{
public:
    TemporaryFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "peakscope-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw std::runtime_error("cannot make a folder like " + pattern);
        m_path = pattern;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

std::string safetensorsName(at::ScalarType type)
{
    switch (type) {
    case at::kDouble:
        return "F64";
    case at::kHalf:
        return "F16";
    case at::kBFloat16:
        return "BF16";
    case at::kLong:
        return "I64";
    default:
        return "F32";
    }
}

// `padding` spaces after the header move the data off its alignment.
void writeSafetensors(const fs::path& path, const Named& tensors, std::size_t padding = 0)
{
    nlohmann::json header = nlohmann::json::object();
    std::string data;
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor whole = tensor.detach().contiguous();
        const std::size_t begin = data.size();
        data.append(static_cast<const char*>(whole.data_ptr()), whole.nbytes());
        header[name] = {{"dtype", safetensorsName(whole.scalar_type())},
                        {"shape", whole.sizes().vec()},
                        {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8 + padding, ' ');
    const std::uint64_t length = text.size(); // little-endian, as all machines this runs on are
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file << text << data;
}

Named tensorsOf(ModelCase& model)
{
    Named result;
    for (const Parameter& parameter : model->parameters())
        result[parameter.spec.name] = parameter.tensor;
    return result;
}

ModelConfig configOf(std::string_view family, bool tied)
{
    for (const auto& [text, config] : trainedConfigs()) {
        if (name(config.family) == family) {
            ModelConfig result = config;
            result.tied = tied;
            return result;
        }
    }
    throw std::runtime_error("no small configuration of that family");
}

class LoaderChecks
{
public:
    // Files made of a model's tensors must load into another one, which then equals the first to within `type`; the
    // one note holds `note`, and without it there is none.
    void loads(const std::string& name, const ModelConfig& config, at::ScalarType type,
               const std::function<void(Named&)>& change, std::size_t padding = 0, const std::string& note = "")
    {
        run(name, [&](const fs::path& folder) {
            ModelCase source(config, at::TensorOptions(at::kFloat), 3),
                target(config, at::TensorOptions(at::kFloat), 4);
            Named tensors = tensorsOf(source);
            for (auto& [key, tensor] : tensors)
                tensor = tensor.detach().to(type);
            change(tensors);
            writeSafetensors(folder / "model.safetensors", tensors, padding);
            const auto status = loadWeights(*target, folder.string());
            if (!status)
                return status.error().text();
            const bool said = status->size() == 1 && status->front().find(note) != std::string::npos;
            if (note.empty() ? !status->empty() : !said)
                return "its notes are " + (status->empty() ? std::string("none") : status->front());
            for (const Parameter& parameter : source->parameters()) {
                const at::Tensor expected = parameter.tensor.detach().to(type).to(at::kFloat);
                if (!at::equal(target->parameter(parameter.spec.name), expected))
                    return parameter.spec.name + " differs";
            }
            return std::string();
        });
    }

    // The files are refused with a sentence that holds every one of `words`.
    void refuses(const std::string& name, const ModelConfig& config, const std::vector<std::string>& words,
                 const std::function<void(Named&)>& change)
    {
        run(name, [&](const fs::path& folder) {
            ModelCase source(config, at::TensorOptions(at::kFloat), 3);
            Named tensors = tensorsOf(source);
            change(tensors);
            writeSafetensors(folder / "model.safetensors", tensors);
            const auto status = loadWeights(*source, folder.string());
            if (status)
                return std::string("was loaded");
            for (const std::string& word : words) {
                if (status.error().text().find(word) == std::string::npos)
                    return "no \"" + word + "\" in: " + status.error().text();
            }
            return std::string();
        });
    }

    // `measure` returns what is wrong, nothing where all is right.
    void run(const std::string& name, const std::function<std::string(const fs::path&)>& measure)
    {
        CheckResult check{"model: weights, " + name, false, ""};
        try {
            const TemporaryFolder folder;
            check.detail = measure(folder.path());
            check.passed = check.detail.empty();
        } catch (const std::exception& exception) {
            check.detail = exception.what();
        }
        m_results.push_back(std::move(check));
    }

    std::vector<CheckResult> take() { return std::move(m_results); }

private:
    std::vector<CheckResult> m_results;
};

// Every name goes through `rename`.
std::function<void(Named&)> renamed(const std::function<std::string(std::string)>& rename)
{
    return [rename](Named& tensors) {
        Named result;
        for (const auto& [name, tensor] : tensors)
            result[rename(name)] = tensor;
        tensors = std::move(result);
    };
}

std::string without(std::string name, const std::string& prefix)
{
    return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}

void checkNames(LoaderChecks& checks)
{
    const auto unchanged = [](Named&) {};
    const ModelConfig opt = configOf("opt", true), gpt2 = configOf("gpt2", true);
    const ModelConfig neox = configOf("gpt_neox", false), llama = configOf("llama", false);
    checks.loads("OPT without model.", opt, at::kFloat, renamed([](auto name) { return without(name, "model."); }));
    checks.loads("OPT without model.decoder.", opt, at::kFloat,
                 renamed([](auto name) { return without(name, "model.decoder."); }));
    checks.loads("GPT-2 with masks, without transformer.", gpt2, at::kFloat, [](Named& tensors) {
        renamed([](auto name) { return without(name, "transformer."); })(tensors);
        tensors["h.0.attn.bias"] = at::ones({1, 1, 8, 8});
        tensors["h.1.attn.masked_bias"] = at::ones({});
    });
    checks.loads("GPT-NeoX with buffers and lm_head", neox, at::kFloat, [](Named& tensors) {
        renamed([](auto name) { return name == "embed_out.weight" ? "lm_head.weight" : name; })(tensors);
        tensors["gpt_neox.layers.0.attention.bias"] = at::ones({1, 1, 8, 8});
        tensors["gpt_neox.layers.0.attention.rotary_emb.inv_freq"] = at::ones({3});
    });
    checks.loads("Llama with frequencies, without model.", llama, at::kFloat, [](Named& tensors) {
        renamed([](auto name) { return without(name, "model."); })(tensors);
        tensors["layers.0.self_attn.rotary_emb.inv_freq"] = at::ones({3});
    });
    // Both ways in which releases of the library name the text model within one that sees images too.
    for (const bool older : {false, true}) {
        const std::string text = older ? "language_model.model." : "model.language_model.";
        checks.loads(
            "Gemma 3 as " + text, configOf("gemma3", true), at::kFloat,
            [&](Named& tensors) {
                renamed([&](auto name) { return text + without(name, "model."); })(tensors);
                tensors[older ? "vision_tower.norm.weight" : "model.vision_tower.norm.weight"] = at::ones({3});
            },
            0, "what sees images is left out, 1 of the tensors");
    }
    checks.loads("plain", configOf("plain", false), at::kFloat, unchanged);
    checks.loads("stored in float16", gpt2, at::kHalf, unchanged);
    checks.loads("stored in bfloat16", gpt2, at::kBFloat16, unchanged);
    checks.loads("stored in float64", gpt2, at::kDouble, unchanged);
    checks.loads("stored at an odd address", gpt2, at::kFloat, unchanged, 3);
}

void checkWrappers(LoaderChecks& checks)
{
    const auto behind = [](std::string prefix) { return renamed([prefix](auto name) { return prefix + name; }); };
    const ModelConfig opt = configOf("opt", true), gpt2 = configOf("gpt2", true), llama = configOf("llama", false);
    for (const char* prefix : {"module.", "base_model.model.", "model.", "net.inner.", "module.base_model.model."}) {
        for (const ModelConfig& config : {opt, gpt2, llama})
            checks.loads(std::string(name(config.family)) + " behind " + prefix, config, at::kFloat, behind(prefix), 0,
                         std::string("behind ") + prefix + ",");
    }
    checks.loads("torch.compile", llama, at::kFloat, behind("_orig_mod."), 0, "_orig_mod.");
    checks.loads("torch.compile of each layer", llama, at::kFloat, renamed([](std::string name) {
                     const std::size_t at = name.find(".self_attn.");
                     return at == std::string::npos ? name : name.insert(at, "._orig_mod");
                 }),
                 0, "_orig_mod.");
    checks.refuses("a prefix that some tensors lack", llama, {"model.embed_tokens.weight"}, [](Named& tensors) {
        tensors["module.model.embed_tokens.weight"] = tensors["model.embed_tokens.weight"];
        tensors.erase("model.embed_tokens.weight");
    });
    checks.refuses("the same tensor with and without torch.compile's word", llama, {"twice"},
                   [](Named& tensors) { tensors["_orig_mod.lm_head.weight"] = tensors["lm_head.weight"].clone(); });
}

void checkTiedHeads(LoaderChecks& checks)
{
    const std::string embedding = "model.decoder.embed_tokens.weight";
    const ModelConfig tied = configOf("opt", true);
    checks.loads("a tied head stored too", tied, at::kFloat,
                 [&](Named& tensors) { tensors["lm_head.weight"] = tensors[embedding].clone(); });
    checks.loads("a tied head instead of the embedding", tied, at::kFloat, [&](Named& tensors) {
        tensors["lm_head.weight"] = tensors[embedding];
        tensors.erase(embedding);
    });
    const ModelConfig llama = configOf("llama", true);
    const std::string table = "model.embed_tokens.weight";
    for (const auto& [text, type] : {std::pair("BF16", at::kBFloat16), std::pair("F16", at::kHalf)}) {
        checks.loads(
            std::string("a table that is its tied head rounded to ") + text, llama, type,
            [&](Named& tensors) {
                // Within half of what either type resolves, so that it rounds to the table again.
                tensors["lm_head.weight"] = tensors[table].to(at::kFloat) * 1.0001220703125F;
            },
            0, std::string("rounding to ") + text);
    }
    checks.refuses("a tied head that is off by more than rounding", llama, {"differs", "model.tied=false"},
                   [&](Named& tensors) {
                       tensors["lm_head.weight"] = tensors[table].detach().clone();
                       tensors[table] = tensors[table].to(at::kBFloat16);
                       tensors["lm_head.weight"][3][5] *= 1.02;
                   });
    checks.refuses("a tied head that differs", tied, {"lm_head.weight", embedding, "tie_word_embeddings"},
                   [&](Named& tensors) { tensors["lm_head.weight"] = tensors[embedding].detach() + 1; });
    checks.refuses("no head of its own", configOf("opt", false), {"lm_head.weight", "missing", "model.tied=true"},
                   [](Named& tensors) { tensors.erase("lm_head.weight"); });
}

void checkRefusals(LoaderChecks& checks)
{
    const ModelConfig llama = configOf("llama", false);
    const std::string up = "model.layers.1.mlp.up_proj.weight";
    checks.refuses("a missing tensor", llama, {up, "missing", "[40, 24]"}, [&](Named& tensors) { tensors.erase(up); });
    checks.refuses("another shape", llama, {up, "[24, 40]", "[40, 24]", "model.safetensors"},
                   [&](Named& tensors) { tensors[up] = tensors[up].t(); });
    checks.refuses("a tensor without a place", llama, {"model.layers.0.self_attn.q_norm.weight"},
                   [](Named& tensors) { tensors["model.layers.0.self_attn.q_norm.weight"] = at::ones({6}); });
    checks.refuses("integers", llama, {up, "I64"}, [&](Named& tensors) { tensors[up] = tensors[up].to(at::kLong); });
    checks.run("no file at all", [&](const fs::path& folder) {
        ModelCase model(llama, at::TensorOptions(at::kFloat), 3);
        const auto status = loadWeights(*model, folder.string());
        return status ? "was loaded" : status.error().text().empty() ? "says nothing" : "";
    });
    checks.run("a file cut short", [&](const fs::path& folder) {
        ModelCase model(llama, at::TensorOptions(at::kFloat), 3);
        writeSafetensors(folder / "model.safetensors", tensorsOf(model));
        fs::resize_file(folder / "model.safetensors", fs::file_size(folder / "model.safetensors") / 2);
        const auto status = loadWeights(*model, folder.string());
        if (status)
            return std::string("was loaded");
        const bool named = status.error().text().find("model.safetensors") != std::string::npos;
        return named ? std::string() : status.error().text();
    });
}

void checkShards(LoaderChecks& checks)
{
    checks.run("two shards", [](const fs::path& folder) {
        const ModelConfig config = configOf("llama", false);
        ModelCase source(config, at::TensorOptions(at::kFloat), 3), target(config, at::TensorOptions(at::kFloat), 4);
        Named parts[2];
        nlohmann::json index = {{"metadata", nlohmann::json::object()}, {"weight_map", nlohmann::json::object()}};
        for (const auto& [name, tensor] : tensorsOf(source)) {
            const int part = static_cast<int>(index["weight_map"].size() % 2);
            parts[part][name] = tensor;
            index["weight_map"][name] = "model-0000" + std::to_string(part + 1) + "-of-00002.safetensors";
        }
        writeSafetensors(folder / "model-00001-of-00002.safetensors", parts[0]);
        writeSafetensors(folder / "model-00002-of-00002.safetensors", parts[1]);
        std::ofstream(folder / "model.safetensors.index.json") << index.dump();
        if (const auto status = loadWeights(*target, folder.string()); !status)
            return status.error().text();
        for (const Parameter& parameter : source->parameters()) {
            if (!at::equal(target->parameter(parameter.spec.name), parameter.tensor))
                return parameter.spec.name + " differs";
        }
        Named fewer = parts[1];
        const std::string gone = fewer.begin()->first;
        fewer.erase(gone);
        writeSafetensors(folder / "model-00002-of-00002.safetensors", fewer);
        const auto stale = loadWeights(*target, folder.string());
        if (stale || stale.error().text().find("shard model-00002-of-00002.safetensors") == std::string::npos ||
            stale.error().text().find(gone) == std::string::npos)
            return stale ? "loads without a tensor" : stale.error().text();
        fs::remove(folder / "model-00002-of-00002.safetensors");
        return std::string(loadWeights(*target, folder.string()) ? "loads without its second shard" : "");
    });
}

} // namespace

std::vector<CheckResult> weightLoaderChecks()
{
    LoaderChecks checks;
    checkNames(checks);
    checkWrappers(checks);
    checkTiedHeads(checks);
    checkRefusals(checks);
    checkShards(checks);
    return checks.take();
}

} // namespace peakscope
