// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/inspect_inputs.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/non_finite.h"
#include "core/base/json/json_keys.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/experiment/experiment.h"
#include "core/files/mapped_file.h"
#include "core/files/weight_file.h"
#include "core/model/weight_plan.h"
#include "core/text/text_source.h"
#include "core/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json describeExperiment(const Experiment& experiment)
{
    return {{"format", "peakscope-experiment"},
            {"kind", name(experiment.kind)},
            {"holds", {"model with " + std::to_string(parameterCount(experiment.model.config)) + " parameters"}},
            {"notes", Json::array()}};
}

Json plainDescription(const char* format, const char* kind, Json holds)
{
    return {{"format", format}, {"kind", kind}, {"holds", std::move(holds)}, {"notes", Json::array()}};
}

std::int64_t bytesOf(const WeightFile& file)
{
    std::int64_t bytes = 0;
    for (const WeightEntry& entry : file.entries())
        bytes += static_cast<std::int64_t>(entry.bytes);
    return bytes;
}

Result<Json> describeIndex(const fs::path& path)
{
    const auto map = readWeightIndex(path);
    if (!map)
        return map.error();
    std::set<std::string> shards, missing;
    std::error_code ignored;
    for (const auto& [tensor, shard] : *map) {
        if (shards.insert(shard).second && !fs::is_regular_file(path.parent_path() / shard, ignored))
            missing.insert(shard);
    }
    Json description = plainDescription("weight-index", "weights",
                                        {counted(static_cast<long long>(map->size()), "tensor") + " in " +
                                         counted(static_cast<long long>(shards.size()), "shard")});
    for (const std::string& shard : missing)
        description["notes"].push_back("its shard " + shard + " is missing");
    return description;
}

// Hugging Face's tokenizer.json: a model with a vocabulary, as an object or as a list of pieces and their scores.
Json describeTokenizer(const Json& document)
{
    const Json& model = document["model"];
    const auto vocab = model.find("vocab");
    const std::size_t entries = vocab == model.end() ? 0 : vocab->size();
    const auto added = document.find("added_tokens");
    const auto type = model.find("type");
    return plainDescription("huggingface-tokenizer", "tokenizer",
                            {fmt::format("{}, {} entries, {} added tokens",
                                         type != model.end() && type->is_string() ? type->get<std::string>() : "BPE",
                                         entries, added != document.end() && added->is_array() ? added->size() : 0)});
}

bool isTokenizer(const Json& document)
{
    const auto model = document.find("model");
    return model != document.end() && model->is_object() && model->contains("vocab");
}

// vocab.json: every token has its number, each once.
bool isVocabulary(const Json& document)
{
    std::set<std::int64_t> numbers;
    const bool all = std::all_of(document.begin(), document.end(), [&](const Json& value) {
        return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
               numbers.insert(value.get<std::int64_t>()).second;
    });
    return all && numbers.contains(0) && numbers.size() > 1;
}

Result<Json> describeTokens(const fs::path& path)
{
    const auto rows = tokenRowsFromJson(path);
    if (!rows)
        return rows.error();
    const auto highest = std::max_element(rows->ids.begin(), rows->ids.end());
    std::int64_t shortest = rows->longestRow();
    for (std::size_t i = 0; i < rows->rows(); ++i)
        shortest = std::min(shortest, static_cast<std::int64_t>(rows->row(i).size()));
    const std::string width = shortest == rows->longestRow() ? std::to_string(shortest)
                                                             : fmt::format("{} to {}", shortest, rows->longestRow());
    return plainDescription(
        "token-rows", "tokens",
        {fmt::format("{} of {} token ids", counted(static_cast<long long>(rows->rows()), "row"), width),
         fmt::format("the highest id is {}", *highest)});
}

std::optional<Result<Json>> describeObject(const Json& document, const std::string& text, const fs::path& path)
{
    if (document.contains("kind") && document.contains("model") && !document.contains("format")) {
        if (const Status once = refuseRepeatedKeys(text, path.string()); !once)
            return once.error();
        auto experiment = experimentFromJson(document);
        if (!experiment)
            return badInput(path.string(), experiment.error().text());
        return describeExperiment(*experiment);
    }
    if (document.contains("model_type")) {
        auto config = modelConfigFromHuggingFace(document, path.string());
        if (!config)
            return config.error();
        return Json{{"format", "huggingface-config"},
                    {"kind", "model"},
                    {"family", name(config->family)},
                    {"parameters", parameterCount(*config)},
                    {"holds", {counted(config->layers, "layer") + " of width " + std::to_string(config->hidden)}},
                    {"notes", Json::array()}};
    }
    if (document.contains("weight_map"))
        return describeIndex(path);
    if (isTokenizer(document))
        return describeTokenizer(document);
    if (isVocabulary(document))
        return plainDescription("token-vocabulary", "tokenizer", {fmt::format("{} tokens", document.size())});
    return std::nullopt;
}

// SentencePiece's models and the merges of a byte-pair encoding are no JSON.
std::optional<Json> describeOtherTokenizer(const fs::path& path)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return std::nullopt;
    const std::string_view bytes = file->view();
    if (path.filename() == "merges.txt" || bytes.starts_with("#version:"))
        return plainDescription("token-merges", "tokenizer",
                                {fmt::format("{} lines", std::count(bytes.begin(), bytes.end(), '\n'))});
    // A protocol buffer whose first piece is field 1 of the model, then that piece's own text.
    constexpr std::size_t kPieceHead = 3;
    if (path.extension() == ".model" && bytes.size() > kPieceHead && bytes[0] == '\x0a' && bytes[2] == '\x0a')
        return plainDescription("sentencepiece", "tokenizer", {formatBytes(static_cast<std::int64_t>(bytes.size()))});
    return std::nullopt;
}

// What the index names and no shard holds does no harm where the model has no need of it.
void noteStaleIndex(const WeightPlan& plan, const fs::path& folder, Json& notes)
{
    std::vector<std::string> gone;
    for (const auto& [tensor, shard] : weightMap(folder)) {
        const bool held = std::any_of(plan.files.begin(), plan.files.end(),
                                      [&name = tensor](const auto& file) { return file->find(name) != nullptr; });
        if (!held)
            gone.push_back(fmt::format("{} (shard {})", tensor, shard));
    }
    if (!gone.empty())
        notes.push_back(fmt::format("the index names {} tensors that its shards do not hold, the first is {}",
                                    gone.size(), gone.front()));
}

void addTokenizer(const fs::path& folder, Json& description)
{
    std::error_code ignored;
    const std::array<const char*, 3> files{"tokenizer.json", "vocab.json", "tokenizer.model"};
    if (std::none_of(files.begin(), files.end(), [&](const char* file) { return fs::exists(folder / file, ignored); }))
        return;
    const auto tokenizer = Tokenizer::load(folder);
    if (tokenizer)
        description["holds"].push_back(
            fmt::format("a tokenizer: {}, {} ids", (*tokenizer)->name(), (*tokenizer)->vocabSize()));
    else
        description["notes"].push_back("its tokenizer is refused where text is read: " + tokenizer.error().text());
}

} // namespace

bool holdsWeights(const fs::path& path)
{
    const std::string extension = path.extension().string();
    for (const char* known : {".safetensors", ".bin", ".pt", ".pth", ".ckpt"}) {
        if (extension == known)
            return true;
    }
    const auto file = MappedFile::open(path);
    return file && isPyTorchFile(file->view());
}

Result<Json> describeWeights(const fs::path& path)
{
    auto file = WeightFile::open(path);
    if (!file)
        return file.error();
    const std::int64_t bytes = bytesOf(**file);
    const std::string& format = (*file)->format();
    Json description =
        plainDescription(format == "safetensors" ? "safetensors" : "pytorch-weights", "weights",
                         {fmt::format("{}, {}", counted(static_cast<long long>((*file)->entries().size()), "tensor"),
                                      formatBytes(bytes))});
    description["bytes"] = bytes;
    for (const WeightEntry& entry : (*file)->entries()) {
        Json& known = description["dtypes"][entry.dtype]; // bytes of each
        known = (known.is_number() ? known.get<std::int64_t>() : 0) + static_cast<std::int64_t>(entry.bytes);
    }
    for (const std::string& line : (*file)->beside())
        description["holds"].push_back(line);
    if (format == "PyTorch before 1.6")
        description["notes"].push_back("written by torch.save before PyTorch 1.6");
    for (const std::string& note : (*file)->notes())
        description["notes"].push_back(note);
    return description;
}

Result<Json> describeModelFolder(const fs::path& folder)
{
    const auto input = describeInput(folder / "config.json");
    const auto config = loadModelConfig(folder / "config.json");
    if (!config)
        return config.error();
    if (!input || !*input)
        return badInput((folder / "config.json").string(), "no configuration of a model");
    Json description = **input;
    const auto plan = planWeights(*config, folder);
    if (plan) {
        std::int64_t bytes = 0;
        for (const auto& file : plan->files) {
            bytes += bytesOf(*file);
            for (const std::string& line : file->beside())
                description["holds"].push_back(line);
        }
        description["holds"].push_back(fmt::format("weights of {} in {} file{}", formatBytes(bytes), plan->files.size(),
                                                   plan->files.size() == 1 ? "" : "s"));
        for (const std::string& note : plan->notes)
            description["notes"].push_back("weights: " + note);
        noteStaleIndex(*plan, folder, description["notes"]);
    } else {
        description[kRefused] = plan.error().text();
    }
    addTokenizer(folder, description);
    return description;
}

std::optional<Result<Json>> describeInput(const fs::path& path)
{
    constexpr std::int64_t kLargestInput = std::int64_t{256} << 20;
    if (auto other = describeOtherTokenizer(path))
        return std::move(*other);
    const auto text = readTextFile(path, kLargestInput);
    const auto document = text ? parseWithNonFinite(*text, path.string()) : Result<Json>(text.error());
    if (!document)
        return std::nullopt;
    if (document->is_object())
        return describeObject(*document, *text, path);
    // Of an array that holds no rows of tokens, the readers of results have said what is wrong with it.
    const auto tokens = document->is_array() ? describeTokens(path) : Result<Json>(Error{});
    return tokens ? std::optional(tokens) : std::nullopt;
}

} // namespace peakscope
