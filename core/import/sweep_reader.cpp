// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory sweep script: its array of points (GiB), and the table that summarises it.
#include "core/analysis/comparison/joined_points.h"
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/results/component_reading.h"

#include <algorithm>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kStageColumn = "_memory_gb";
constexpr const char* kAxes[] = {"seq_length", "batch_size", "max_physical_batch_size", "is_lora", "lora_rank"};

struct MeasuredPoint {
    RunResult result; // of which only configuration, status and peak are used
    Json extra = Json::object();
};

void readAxes(ImportObject& object, const std::string& path, MeasuredPoint& point)
{
    Json config = Json::object();
    for (const char* key : kAxes) {
        const auto found = object.value().find(key);
        if (found != object.value().end())
            config[key] = *found;
        object.take(key);
    }
    if (!config.contains("seq_length"))
        object.fail("seq_length", "missing");
    point.result.config = experimentFrom(config, object.log(), path);
}

void readFigures(ImportObject& object, MeasuredPoint& point)
{
    object.needNumber("peak_memory_gb");
    const auto peak = object.bytes("peak_memory_gb", kGiB);
    point.result.status = RunStatus::Complete;
    if (peak.value_or(0) > 0) {
        point.result.memory = emptyMemory();
        point.result.memory->peakBytes = *peak;
    } else {
        point.result.status = RunStatus::Failed;
    }
    if (const auto seconds = object.number("execution_time"))
        point.extra["total_seconds"] = *seconds;
}

Json readStages(const Json& breakdown, const std::string& path, ImportLog& log)
{
    ImportObject object(breakdown, path, log);
    Json stages = Json::object();
    for (const auto& [stage, value] : breakdown.items()) {
        if (const auto bytes = object.bytes(stage, kGiB))
            stages[stage] = *bytes;
    }
    return stages;
}

Json readSweepSnapshots(const Json& array, const std::string& path, ImportLog& log)
{
    Json snapshots = Json::array();
    for (std::size_t i = 0; i < array.size() && !log.problem.any(); ++i) {
        ImportObject object(array[i], path + atIndex(i), log);
        Json snapshot = {{"name", object.needText("stage").value_or("")}};
        if (const auto seconds = object.number("timestamp"))
            snapshot["time_seconds"] = *seconds;
        if (const auto allocated = object.bytes("allocated_gb", kGiB))
            snapshot["allocated_bytes"] = *allocated;
        if (const auto reserved = object.bytes("reserved_gb", kGiB))
            snapshot["reserved_bytes"] = *reserved;
        if (const auto most = object.bytes("max_allocated_gb", kGiB))
            snapshot["max_allocated_bytes"] = *most;
        if (const auto module = object.text("module"))
            snapshot["module"] = *module;
        snapshots.push_back(std::move(snapshot));
    }
    return snapshots;
}

// One result of kind "sweep" out of its points.
RunResult sweepOf(std::vector<MeasuredPoint>& points, ImportLog& log)
{
    RunResult sweep = importedRun(ResultKind::Sweep);
    std::vector<RunResult> results;
    for (MeasuredPoint& point : points)
        results.push_back(std::move(point.result));
    Json section = sweepSection(results);
    bool anyStage = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        anyStage = anyStage || points[i].extra.contains("stages");
        section["points"][i].update(points[i].extra);
    }
    putSection(sweep, "sweep", std::move(section));
    const auto dead = std::count_if(results.begin(), results.end(), [](const RunResult& r) { return !r.memory; });
    if (dead > 0)
        log.notes.push_back(std::to_string(dead) + " points have no peak: they did not run");
    log.notes.emplace_back(
        "total_seconds is the time of a whole configuration, loading the model included; there is no "
        "step time");
    if (anyStage)
        log.notes.emplace_back(
            "a stage's bytes inherit earlier peaks: the script never resets the peak between stages");
    return sweep;
}

} // namespace

RunList readMemorySweep(const Json& document, ImportLog& log)
{
    const bool many = document.is_array();
    std::vector<MeasuredPoint> points;
    for (std::size_t i = 0; i < (many ? document.size() : 1) && !log.problem.any(); ++i) {
        const std::string path = many ? atIndex(i) : "";
        ImportObject object(many ? document[i] : document, path, log);
        if (!object.ok())
            break;
        MeasuredPoint point;
        readAxes(object, path, point);
        readFigures(object, point);
        if (const Json* breakdown = object.object("memory_breakdown"))
            point.extra["stages"] = readStages(*breakdown, object.pathOf("memory_breakdown"), log);
        if (const Json* snapshots = object.array("snapshots"))
            point.extra["snapshots"] = readSweepSnapshots(*snapshots, object.pathOf("snapshots"), log);
        const Json rest = object.rest();
        if (!rest.empty())
            point.extra["other_fields"] = rest;
        points.push_back(std::move(point));
    }
    return {sweepOf(points, log)};
}

RunList readSweepSummary(const Json& rows, ImportLog& log)
{
    std::vector<MeasuredPoint> points;
    for (std::size_t i = 0; i < rows.size() && !log.problem.any(); ++i) {
        const std::string path = "row " + std::to_string(i + 1);
        ImportObject object(rows[i], path, log);
        MeasuredPoint point;
        readAxes(object, path, point);
        readFigures(object, point);
        Json stages = Json::object();
        for (const auto& [column, cell] : rows[i].items()) {
            if (!column.ends_with(kStageColumn) || column == "peak_memory_gb")
                continue;
            if (const auto bytes = object.bytes(column, kGiB))
                stages[column.substr(0, column.size() - kStageColumn.size())] = *bytes;
        }
        if (!stages.empty())
            point.extra["stages"] = std::move(stages);
        const Json rest = object.rest();
        if (!rest.empty())
            point.extra["other_fields"] = rest;
        points.push_back(std::move(point));
    }
    log.asText.clear(); // every cell of a table is text
    return {sweepOf(points, log)};
}

namespace {

std::optional<ModuleKind> kindOfPart(const std::string& part)
{
    return part == "normalization" ? std::optional(ModuleKind::Norm) : moduleKindFromName(part);
}

// The stages and estimates, bytes.
Json readDetails(ImportObject& breakdown)
{
    Json details = Json::object();
    if (const Json* stages = breakdown.object("stages")) {
        ImportObject each(*stages, breakdown.pathOf("stages"), breakdown.log());
        for (const auto& [stage, value] : stages->items()) {
            if (const auto bytes = each.bytes(stage, 1))
                details["stages"][stage] = *bytes;
        }
    }
    for (const char* key : {"gradient_estimate", "activation_estimate"}) {
        if (const auto bytes = breakdown.bytes(key, 1))
            details[std::string(key) + "_bytes"] = *bytes;
    }
    return details;
}

void readStageParts(ImportObject& breakdown, MemorySection& memory)
{
    const Json* parts = breakdown.object("components");
    if (!parts)
        return;
    for (const auto& [part, value] : parts->items()) {
        ImportObject each(value, breakdown.pathOf("components") + "." + part, breakdown.log());
        ModuleUsage usage;
        usage.name = part;
        usage.kind = kindOfPart(part);
        usage.activationBytes = each.bytes("forward", 1).value_or(0);
        usage.gradientBytes = each.bytes("backward", 1).value_or(0);
        memory.modules.push_back(std::move(usage));
    }
    setKnown(memory, {"modules", "modules.activation_bytes", "modules.gradient_bytes"});
}

// What readSweepSnapshots made, as a memory section holds it.
void addStageSnapshots(MemorySection& memory, const Json& entries)
{
    setKnown(memory, {"snapshots"});
    for (const Json& entry : entries) {
        Snapshot snapshot;
        snapshot.name = entry.value("name", std::string());
        snapshot.timeSeconds = entry.value("time_seconds", 0.0);
        snapshot.allocatedBytes = entry.value("allocated_bytes", std::int64_t{0});
        snapshot.reservedBytes = entry.value("reserved_bytes", std::int64_t{0});
        if (entry.contains("max_allocated_bytes"))
            snapshot.maxAllocatedBytes = entry["max_allocated_bytes"].get<std::int64_t>();
        for (const char* key : {"time_seconds", "reserved_bytes"}) {
            if (entry.contains(key))
                setKnown(memory, {"snapshots." + std::string(key)});
        }
        memory.snapshots.push_back(std::move(snapshot));
    }
}

void readDetailedSnapshots(ImportObject& object, MemorySection& memory)
{
    const Json* snapshots = object.array("snapshots");
    if (!snapshots)
        return;
    addStageSnapshots(memory, readSweepSnapshots(*snapshots, object.pathOf("snapshots"), object.log()));
}

RunResult readDetailedRun(ImportObject& object)
{
    ImportLog& log = object.log();
    RunResult result = importedRun(ResultKind::Memory);
    if (const Json* config = object.object("config"))
        result.config = experimentFrom(*config, log, object.pathOf("config"));
    object.needNumber("peak_memory");
    const std::int64_t peak = object.bytes("peak_memory", 1).value_or(0);
    if (const auto seconds = object.number("execution_time"))
        result.other["total_seconds"] = *seconds;
    const Json* detail = object.object("detailed_breakdown");
    const Json none = Json::object();
    ImportObject breakdown(detail ? *detail : none, object.pathOf("detailed_breakdown"), log);
    MemorySection memory = emptyMemory();
    memory.peakBytes = peak;
    Json details = readDetails(breakdown);
    readStageParts(breakdown, memory);
    readDetailedSnapshots(object, memory);
    if (peak > 0) {
        result.memory = std::move(memory);
        result.other["memory"] = std::move(details);
        if (!result.memory->modules.empty())
            setHookIncreases(result);
    }
    Json rest = object.rest();
    if (const Json inner = breakdown.rest(); !inner.empty())
        rest["detailed_breakdown"] = inner;
    if (!rest.empty())
        result.other["other_fields"] = rest;
    return result;
}

} // namespace

RunList readDetailedMemory(const Json& document, ImportLog& log)
{
    RunList results;
    for (std::size_t i = 0; i < document.size() && !log.problem.any(); ++i) {
        ImportObject object(document[i], atIndex(i), log);
        if (object.ok())
            results.push_back(readDetailedRun(object));
    }
    log.notes.emplace_back("sizes outside `snapshots` are bytes, those inside GiB; all are bytes here");
    log.notes.emplace_back("figures by kind of module are sums of increases between hooks (forward as activations, "
                           "backward as gradients); nested modules are counted more than once");
    log.notes.emplace_back("a stage's bytes inherit earlier peaks: the script never resets the peak between stages");
    log.notes.emplace_back("gradient and activation estimates are rules of thumb of the script, not measured");
    return results;
}

} // namespace peakscope
