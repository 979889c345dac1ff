// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/inspect_inputs.h"
#include "core/cli/commands/inspect_ranks.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/snapshot_commands.h"
#include "core/files/mapped_file.h"
#include "core/import/convert.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/read_any.h"
#include "core/import/result_folder.h"
#include "core/protocol/result_assembler.h"
#include "core/results/component_reading.h"
#include "core/results/memory_json.h"
#include "core/results/result_lines.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Of a section what it says of all: how long a list is in place of a list that goes on with the units or entries.
Json withoutLists(const Json& section)
{
    constexpr std::size_t kShown = 16;
    if (section.is_array() && section.size() > kShown)
        return std::to_string(section.size()) + " entries";
    if (!section.is_structured())
        return section;
    Json shown = section;
    for (Json& value : shown)
        value = withoutLists(value);
    return shown;
}

// What a result says beside the lists of what it holds.
Json describeResult(const RunResult& result)
{
    Json description = {{"kind", name(result.kind)},
                        {"status", name(result.status)},
                        {"title", runTitle(result)},
                        {"synthetic", result.synthetic}};
    if (!result.id.empty()) // a part of a file has none
        description["id"] = result.id;
    if (!result.created.empty())
        description["created"] = result.created;
    if (result.memory) {
        const MemorySection& memory = *result.memory;
        description["peak_bytes"] = memory.peakBytes;
        if (memory.has("peak_reserved_bytes"))
            description["peak_reserved_bytes"] = memory.peakReservedBytes;
        for (std::size_t i = 0; memory.has("peak_components") && i < kComponentCount; ++i) {
            const std::string component(name(static_cast<Component>(i)));
            if (memory.has("peak_components." + component))
                description["peak_components"][component] = memory.peakComponents[i];
        }
        if (const ComponentReading reading = commonReading(result); reading != ComponentReading::AtPeak)
            description["components_measured"] = name(reading);
        for (const Component component : cumulatedComponents(result))
            description["components_cumulated"].push_back(std::string(name(component)));
    }
    if (result.memory && !result.memory->steps.empty())
        description["steps"] = membersJson(result.memory->steps);
    if (result.timing)
        description["median_step_seconds"] = result.timing->medianStepSeconds;
    if (result.loss)
        description["loss"] = *result.loss;
    if (!result.config.empty())
        description["config"] = result.config;
    if (const auto cost = privacyOf(result))
        description["privacy"] = {{"epsilon", cost->epsilon}, {"delta", cost->delta}};
    if (const auto norms = sampleNormRange(result))
        description["per_sample_gradient_norms"] = {
            {"count", norms->count}, {"min", norms->least}, {"median", norms->median}, {"max", norms->most}};
    for (const char* key : {"other_fields", "embedding", "partition", "source"}) {
        if (result.other.contains(key))
            description[key] = withoutLists(result.other[key]);
    }
    if (!result.message.empty())
        description["message"] = result.message;
    return description;
}

// A result file of any format, or a folder of them.
Json describeFile(const FileDescription& file)
{
    Json description = file.results.size() == 1 ? describeResult(file.results.front()) : Json::object();
    description["format"] = file.format;
    description["format_title"] = file.title;
    description["kind"] = name(file.kind);
    description["holds"] = file.holds;
    description["notes"] = file.notes;
    if (file.endsEarly)
        description["ends_early"] = true;
    description["synthetic"] =
        std::any_of(file.results.begin(), file.results.end(), [](const RunResult& result) { return result.synthetic; });
    for (const RunResult& result : file.results) {
        if (const auto device = result.other.find("snapshot"); device != result.other.end())
            description["devices"].push_back(*device);
        if (const auto host = result.other.find("pinned_host"); host != result.other.end())
            description["host"] = *host;
        if (file.results.size() > 1)
            description["results"].push_back(describeResult(result));
    }
    return description;
}

// An events file holds what a run said, a line each; a torn last line is normal where its writer died.
Result<Json> describeEvents(const std::string& text, const std::string& path)
{
    EventReader reader;
    ResultAssembler assembler;
    std::int64_t events = 0, strange = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (auto event = reader.read(line)) {
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
    description["holds"] = {std::to_string(events) + " events"};
    description["notes"] = assembler.result().notes;
    description["events"] = events;
    if (strange > 0)
        description["notes"].push_back(std::to_string(strange) + " lines are not events");
    return description;
}

bool isEventFile(const fs::path& path)
{
    constexpr std::string_view kStart = "{\"event\"";
    const auto file = MappedFile::open(path);
    return path.extension() == ".jsonl" || (file && file->view().starts_with(kStart));
}

Result<Json> describePath(const fs::path& path)
{
    std::error_code error;
    if (!fs::exists(path, error))
        return badInput(path.string(), error ? "cannot be opened: " + error.message() : "no such file");
    const bool folder = fs::is_directory(path, error);
    if (folder && fs::exists(path / "config.json", error))
        return describeModelFolder(path);
    if (!folder && fs::is_regular_file(path, error) && holdsWeights(path) && !holdsSavedSnapshot(path))
        return describeWeights(path);
    if (!folder && fs::is_regular_file(path, error) && isEventFile(path)) {
        const auto text = readTextFile(path);
        return text ? describeEvents(*text, path.string()) : Result<Json>(text.error());
    }
    auto file = describe(path);
    if (file) {
        for (const std::string& line : leftOutOf(path))
            printError("peakscope-cli: {}\n", line);
        return describeFile(*file);
    }
    if (!folder && fs::is_regular_file(path, error)) {
        if (auto input = describeInput(path))
            return *input;
    }
    return file.error();
}

// A part of a CUDA snapshot.
Result<Json> describeRange(const fs::path& path, const SnapshotRange& range)
{
    const auto snapshot = holdsCudaSnapshot(path);
    if (!snapshot)
        return snapshot.error();
    if (!*snapshot)
        return badInput(path.string(), "not a CUDA snapshot; only snapshots have ranges");
    auto part = openSnapshotRange(path, range);
    auto results = part ? snapshotResults(std::move(*part), path.string()) : part.error();
    if (!results)
        return results.error();
    FileDescription file{std::string(name(FileFormat::CudaSnapshot)),
                         std::string(title(FileFormat::CudaSnapshot)),
                         ResultKind::Memory,
                         {"snapshot"},
                         {},
                         false,
                         {}};
    for (RunResult& result : *results) {
        file.notes.insert(file.notes.end(), result.notes.begin(), result.notes.end());
        result.other["source"] = {{"format", file.format}, {"file", path.filename().string()}};
        file.results.push_back(std::move(result));
    }
    return describeFile(file);
}

// Of a row for each step: the highest peak, and how the live bytes went.
std::string lineOfSteps(const Json& steps)
{
    const auto peaks = steps["peak_bytes"].get<std::vector<std::int64_t>>();
    const auto live = steps["live_bytes"].get<std::vector<std::int64_t>>();
    const auto highest = std::max_element(peaks.begin(), peaks.end()) - peaks.begin();
    const std::string batch = steps["batch_shape"][static_cast<std::size_t>(highest)].get<std::string>();
    return fmt::format(
        "{} step{}, the highest peak {} in step {}{}; {} live after the first, {} after the last", peaks.size(),
        peaks.size() == 1 ? "" : "s", formatBytes(peaks[static_cast<std::size_t>(highest)]),
        steps["step"][static_cast<std::size_t>(highest)].get<std::int64_t>(),
        batch.empty() ? "" : " with a batch of " + batch, formatBytes(live.front()), formatBytes(live.back()));
}

// "parameters 475 MiB, activations 1.2 GiB", the largest first.
std::string lineOfComponents(const Json& components)
{
    std::vector<std::pair<std::int64_t, std::string>> parts;
    for (const auto& [component, bytes] : components.items()) {
        if (bytes != 0)
            parts.emplace_back(bytes.get<std::int64_t>(), component);
    }
    std::sort(parts.rbegin(), parts.rend());
    std::string line;
    for (const auto& [bytes, component] : parts)
        line += fmt::format("{}{} {}", line.empty() ? "" : ", ", component, formatBytes(bytes));
    return line;
}

// A value on one line: of a whole result its title and peak.
std::string lineOf(const Json& value)
{
    if (value.is_object() && value.contains("live_bytes"))
        return lineOfSteps(value);
    if (value.is_string())
        return oneLine(value.get_ref<const std::string&>());
    if (!value.is_object() || !value.contains("title"))
        return oneLine(dumpJson(value));
    std::string line = value["title"].get<std::string>();
    if (value.contains("peak_bytes"))
        line += ": peak " + formatBytes(value["peak_bytes"].get<std::int64_t>());
    return oneLine(line);
}

// For people: what is long by itself is summed up, and --json has it all.
std::string lineOf(const std::string& key, const Json& value)
{
    if (key == "peak_components" && value.is_object())
        return lineOfComponents(value);
    if (key == "config" && value.is_object())
        return fmt::format("{}; --json prints all", counted(static_cast<std::int64_t>(value.size()), "key"));
    if (key.ends_with("_bytes") && value.is_number_integer())
        return fmt::format("{} ({} bytes)", formatBytes(value.get<std::int64_t>()), value.get<std::int64_t>());
    return lineOf(value);
}

} // namespace

int inspectCommand(const std::string& path, const RangeArguments& arguments, bool json)
{
    const auto range = rangeOf(arguments);
    if (!range)
        return report(range.error());
    std::error_code error;
    if (!*range && fs::is_directory(path, error)) {
        if (const auto status = inspectRanks(path, json))
            return *status;
    }
    auto description = *range ? describeRange(path, **range) : describePath(path);
    if (!description)
        return report(badInput("", description.error().text()));
    // A folder is described as far as it goes, and what a run would say against it is an error here, too.
    const auto status = [&] {
        const auto refused = description->find(kRefused);
        return refused == description->end() ? 0 : report(badInput("", refused->get<std::string>()));
    };
    if (json) {
        standardOutput().json(dumpJson(*description));
        return status();
    }
    std::size_t width = 14;
    for (const auto& [key, value] : description->items())
        width = std::max(width, key.size());
    for (const auto& [key, value] : description->items()) {
        if (key == kRefused)
            continue;
        if (value.is_array()) {
            for (const Json& entry : value)
                print("{:<{}} {}\n", key, width, lineOf(entry));
        } else {
            print("{:<{}} {}\n", key, width, lineOf(key, value));
        }
    }
    return status();
}

} // namespace peakscope
