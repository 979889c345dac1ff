// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/files/weight_file.h"
#include "core/planning/experiment.h"
#include "core/protocol/result_assembler.h"

#include <cstdio>
#include <sstream>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json describeResult(const RunResult& result)
{
    Json holds = Json::array();
    Json notes = result.notes;
    Json description = {{"format", "peakscope-result"},  {"kind", result.kind},
                        {"status", name(result.status)}, {"id", result.id},
                        {"created", result.created},     {"synthetic", result.synthetic}};
    if (result.memory) {
        holds.push_back("memory: " + std::to_string(result.memory->timeline.size()) + " events, " +
                        std::to_string(result.memory->modules.size()) + " modules, " +
                        std::to_string(result.memory->operators.size()) + " operators");
        description["peak_bytes"] = result.memory->peakBytes;
        if (result.memory->timeline.merged)
            notes.push_back("the timeline was merged from more than a million events");
    }
    if (result.timing)
        holds.push_back("timing: " + std::to_string(result.timing->stepSeconds.size()) + " measured steps");
    if (result.loss)
        description["loss"] = *result.loss;
    for (const auto& [key, value] : result.other.items())
        holds.push_back(key);
    if (!result.message.empty())
        notes.push_back(result.message);
    description["holds"] = holds;
    description["notes"] = notes;
    return description;
}

Json describeExperiment(const Experiment& experiment)
{
    return {{"format", "peakscope-experiment"},
            {"kind", experiment.kind},
            {"holds", {"model with " + std::to_string(parameterCount(experiment.model.config)) + " parameters"}},
            {"notes", Json::array()}};
}

// Weight files say what tensors they hold.
Result<Json> describeWeights(const fs::path& path)
{
    auto file = WeightFile::open(path);
    if (!file)
        return file.error();
    std::int64_t bytes = 0;
    for (const WeightEntry& entry : (*file)->entries())
        bytes += static_cast<std::int64_t>(entry.bytes);
    return Json{{"format", path.extension() == ".safetensors" ? "safetensors" : "pytorch-weights"},
                {"kind", "weights"},
                {"holds", {std::to_string((*file)->entries().size()) + " tensors, " + formatBytes(bytes)}},
                {"bytes", bytes},
                {"notes", Json::array()}};
}

// An events file holds what a run said, a line each; a torn last line is normal where its writer died.
Result<Json> describeEvents(const std::string& text, const std::string& path)
{
    ResultAssembler assembler;
    std::int64_t events = 0, strange = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (auto event = eventFromLine(line)) {
            assembler.add(*event);
            ++events;
        } else {
            ++strange;
        }
    }
    if (events == 0)
        return badInput(path, "not JSON and no line of it is an event of Peakscope");
    if (!assembler.ended())
        assembler.workerGone("the events stop before the run's end");
    Json description = describeResult(assembler.result());
    description["format"] = "peakscope-events";
    description["events"] = events;
    if (strange > 0)
        description["notes"].push_back(std::to_string(strange) + " lines are no events");
    return description;
}

Result<Json> describeDocument(const Json& document, const std::string& path)
{
    if (document.is_object() && document.value("format", Json()) == "peakscope-result") {
        auto result = runResultFromJson(document);
        if (!result)
            return badInput(path, result.error().text());
        return describeResult(*result);
    }
    if (document.is_object() && document.contains("kind") && document.contains("model")) {
        auto experiment = experimentFromJson(document);
        if (!experiment)
            return badInput(path, experiment.error().text());
        return describeExperiment(*experiment);
    }
    if (document.is_object() && document.contains("model_type")) {
        auto config = modelConfigFromHuggingFace(document, path);
        if (!config)
            return config.error();
        return Json{{"format", "huggingface-config"},
                    {"kind", "model"},
                    {"family", name(config->family)},
                    {"parameters", parameterCount(*config)},
                    {"holds", {std::to_string(config->layers) + " layers of width " + std::to_string(config->hidden)}},
                    {"notes", Json::array()}};
    }
    return badInput(path,
                    "JSON, but none of the formats this version reads (results, experiments, model configurations)");
}

Result<Json> describe(const fs::path& path)
{
    std::error_code error;
    if (!fs::exists(path, error))
        return badInput(path.string(), "no such file");
    if (fs::is_directory(path, error)) {
        if (fs::exists(path / "config.json", error))
            return describe(path / "config.json");
        return badInput(path.string(), "a folder without a config.json; a file or a model's folder is expected");
    }
    const std::string extension = path.extension().string();
    if (extension == ".safetensors" || extension == ".bin" || extension == ".pt" || extension == ".pth")
        return describeWeights(path);
    auto text = readTextFile(path);
    if (!text)
        return text.error();
    if (extension == ".jsonl" || text->rfind("{\"event\"", 0) == 0)
        return describeEvents(*text, path.string());
    JsonParseOptions options;
    options.nonFiniteAsNull = true;
    auto document = parseJson(*text, path.string(), options);
    if (!document)
        return document.error();
    return describeDocument(*document, path.string());
}

} // namespace

int inspectCommand(const std::string& path, bool json)
{
    auto description = describe(path);
    if (!description)
        return report(badInput("", description.error().text()));
    if (json) {
        std::printf("%s\n", dumpJson(*description).c_str());
        return 0;
    }
    for (const auto& [key, value] : description->items()) {
        if (value.is_array()) {
            for (const Json& entry : value)
                std::printf("%-12s %s\n", key.c_str(), entry.get<std::string>().c_str());
        } else {
            std::printf("%-12s %s\n", key.c_str(),
                        value.is_string() ? value.get<std::string>().c_str() : dumpJson(value).c_str());
        }
    }
    return 0;
}

} // namespace peakscope
