// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the DP-SGD benchmark scripts: runs with a breakdown and snapshots, their image-model variant, and flat
// sweep points.
#include "core/analysis/comparison/joined_points.h"
#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/results/component_reading.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

namespace peakscope {

namespace {

using Json = nlohmann::json;

struct BreakdownPart {
    const char* key;
    Component component;
};
constexpr BreakdownPart kParts[] = {
    {"model_parameters_mb", Component::Parameters},      {"gradients_mb", Component::Gradients},
    {"optimizer_states_mb", Component::OptimizerStates}, {"activation_hooks_mb", Component::ActivationHooks},
    {"norm_samples_mb", Component::NormSamples},         {"temp_matrices_mb", Component::TempMatrices},
};

// What the file's name says about the method: "flash_clip_result" -> "flash_clip".
std::string methodFromStem(std::string stem)
{
    for (const std::string_view ending : {"_result", "_results"}) {
        if (stem.ends_with(ending))
            stem.erase(stem.size() - ending.size());
    }
    return stem;
}

// "6_iter1_after_backward": the phase that it ends, and the step.
void placeSnapshot(Snapshot& snapshot, bool& hasStep)
{
    const std::string& name = snapshot.name;
    const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
    if (ends("after_forward"))
        snapshot.phase = Phase::Forward;
    else if (ends("after_backward"))
        snapshot.phase = Phase::Backward;
    else if (ends("after_step"))
        snapshot.phase = Phase::OptimizerStep;
    else if (ends("model_loaded"))
        snapshot.phase = Phase::Load;
    else if (ends("wrapped_with_dp"))
        snapshot.phase = Phase::Wrap;
    else if (ends("optimizer_created"))
        snapshot.phase = Phase::OptimizerSetup;
    const std::size_t at = name.find("iter");
    if (at != std::string::npos && at + 4 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 4]))) {
        snapshot.step = std::strtol(name.c_str() + at + 4, nullptr, 10);
        hasStep = true;
    }
}

struct SnapshotList {
    std::vector<Snapshot> snapshots;
    bool hasReserved = false;
    bool hasStep = false;
    bool hasTime = false;
    double firstTimestamp = 0;
};

SnapshotList readSnapshots(const Json& array, ImportLog& log)
{
    SnapshotList list;
    for (std::size_t i = 0; i < array.size() && !log.problem.any(); ++i) {
        ImportObject object(array[i], "snapshots" + atIndex(i), log);
        Snapshot snapshot;
        snapshot.name = object.needText("name").value_or("");
        object.needNumber("allocated_mb");
        snapshot.allocatedBytes = object.bytes("allocated_mb", kMiB).value_or(0);
        if (const auto reserved = object.bytes("reserved_mb", kMiB)) {
            snapshot.reservedBytes = *reserved;
            list.hasReserved = true;
        }
        snapshot.maxAllocatedBytes = object.bytes("max_allocated_mb", kMiB);
        if (const auto timestamp = object.number("timestamp")) {
            list.firstTimestamp = list.hasTime ? list.firstTimestamp : *timestamp;
            list.hasTime = true;
            snapshot.timeSeconds = *timestamp - list.firstTimestamp;
        }
        placeSnapshot(snapshot, list.hasStep);
        list.snapshots.push_back(std::move(snapshot));
    }
    return list;
}

void addSnapshots(RunResult& result, const SnapshotList& list)
{
    if (list.hasTime)
        result.created = isoTime(list.firstTimestamp);
    if (!result.memory || list.snapshots.empty())
        return;
    MemorySection& memory = *result.memory;
    memory.snapshots = list.snapshots;
    setKnown(memory, {"snapshots"});
    if (list.hasReserved)
        setKnown(memory, {"snapshots.reserved_bytes"});
    if (list.hasStep)
        setKnown(memory, {"snapshots.step"});
    if (list.hasTime)
        setKnown(memory, {"snapshots.time_seconds"});
}

// Says what the breakdown is and is not.
void noteBreakdown(const RunResult& result, ImportLog& log)
{
    const MemorySection& memory = *result.memory;
    const std::int64_t hooks = memory.peakComponents[static_cast<std::size_t>(Component::ActivationHooks)];
    log.notes.emplace_back("the breakdown was read after the step, not at the peak: its parts sum to " +
                           formatBytes(commonBytes(result)) + (hooks > 0 ? " without the activation hooks" : "") +
                           ", the peak is " + formatBytes(memory.peakBytes));
    if (hooks > 0)
        log.notes.emplace_back("activation hooks are cumulated over the iterations, so their " + formatBytes(hooks) +
                               (hooks > memory.peakBytes ? " exceed the peak" : " are not what was alive at one time"));
    if (memory.has("peak_components.temp_matrices") &&
        memory.peakComponents[static_cast<std::size_t>(Component::TempMatrices)] == 0)
        log.notes.emplace_back("temp matrices are always 0 in what this script writes: it never measures them");
}

// Parts of the breakdown that the file has; true where there is any.
bool readParts(ImportObject& breakdown, MemorySection& memory)
{
    bool any = false;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto component = static_cast<Component>(i);
        const auto part = std::find_if(std::begin(kParts), std::end(kParts),
                                       [&](const BreakdownPart& p) { return p.component == component; });
        const auto bytes = part == std::end(kParts) ? std::nullopt : breakdown.bytes(part->key, kMiB);
        memory.peakComponents[i] = bytes.value_or(0);
        any = any || bytes;
        if (!bytes)
            memory.missing.push_back("peak_components." + std::string(name(component)));
    }
    if (any)
        setKnown(memory, {"peak_components"});
    return any;
}

// The peak in bytes: the image-model variant writes it in two units.
std::optional<std::int64_t> readPeak(ImportObject& object, ImportObject* breakdown, bool dit, ImportLog& log)
{
    std::optional<std::int64_t> peak;
    if (dit) {
        const auto decimal = object.bytes("peak_memory_mb", kMegabyte);
        const auto binary = object.bytes("peak_allocated_memory_mb", kMiB);
        log.notes.emplace_back(
            "peak_memory_mb is decimal MB (10^6 bytes), peak_allocated_memory_mb MiB (2^20); the peak "
            "is read from " +
            std::string(binary ? "the second" : "the first"));
        peak = binary ? binary : decimal;
    } else {
        const auto top = object.bytes("peak_memory_mb", kMiB);
        const auto inside = breakdown ? breakdown->bytes("peak_allocated_mb", kMiB) : std::nullopt;
        peak = top ? top : inside;
        if (top && inside && std::abs(*top - *inside) > 1048576)
            log.notes.emplace_back("peak_memory_mb and breakdown.peak_allocated_mb differ: " + formatBytes(*top) +
                                   " and " + formatBytes(*inside));
        if (!object.has("peak_memory_mb") && !inside)
            object.fail("peak_memory_mb", "missing");
    }
    if (peak == 0) {
        log.notes.emplace_back("the peak is 0: the script measures nothing without a CUDA device");
        peak.reset();
    }
    return peak;
}

void readStepTime(RunResult& result, std::optional<double> milliseconds, const std::string& statistic)
{
    if (!milliseconds || *milliseconds <= 0)
        return;
    Timing timing;
    timing.medianStepSeconds = *milliseconds / 1000;
    timing.traced = false;
    result.timing = timing;
    result.other["timing"]["statistic"] = statistic;
}

void readBreakdown(RunResult& result, ImportObject& breakdown)
{
    MemorySection& memory = *result.memory;
    if (readParts(breakdown, memory)) {
        setReadAfterStep(result);
        if (memory.peakComponents[static_cast<std::size_t>(Component::ActivationHooks)] > 0)
            setCumulated(result, Component::ActivationHooks);
        noteBreakdown(result, breakdown.log());
    }
    if (const auto allocated = breakdown.bytes("total_allocated_mb", kMiB))
        result.other["memory"]["allocated_after_step_bytes"] = *allocated;
    const auto reserved = breakdown.bytes("total_reserved_mb", kMiB);
    if (reserved && *reserved >= memory.peakBytes) {
        memory.peakReservedBytes = *reserved;
        setKnown(memory, {"peak_reserved_bytes"});
    }
    const Json rest = breakdown.rest();
    if (!rest.empty())
        result.other["other_fields"]["breakdown"] = rest;
}

} // namespace

std::string isoTime(double epochSeconds)
{
    if (!(epochSeconds >= 0) || epochSeconds > 4e9)
        return {};
    const auto seconds = static_cast<std::time_t>(epochSeconds);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

RunList readDpsgdRun(const Json& document, bool dit, const std::string& stem, ImportLog& log)
{
    ImportObject object(document, "", log);
    RunResult result = importedRun(ResultKind::Memory);
    const Json none = Json::object();
    const Json* parts = object.object("breakdown");
    ImportObject breakdown(parts ? *parts : none, "breakdown", log);
    breakdown.take("peak_allocated_mb");

    const std::string method = object.text("experiment").value_or(methodFromStem(stem));
    if (!object.has("experiment"))
        log.notes.emplace_back("the file names no experiment; taken from its file name: " + describeJson(method));
    const Json* config = object.object("config");
    if (config)
        result.config = experimentFrom(*config, log, "config");
    else
        log.notes.emplace_back("the file holds no configuration");
    // The script's own model is Peakscope's family of that name.
    if (config && !dit && result.config.contains("model") && !result.config["model"].contains("id"))
        result.config["model"]["family"] = "plain";
    result.config["method"] = method;
    if (const std::string clipping = clippingOf(method); !clipping.empty())
        result.config["training"]["clipping"] = clipping;

    const std::optional<std::int64_t> peak = readPeak(object, parts ? &breakdown : nullptr, dit, log);
    if (peak) {
        result.memory = emptyMemory();
        result.memory->peakBytes = *peak;
        readBreakdown(result, breakdown);
    }
    readStepTime(result, object.number("avg_time_ms"), "mean");
    if (result.timing)
        log.notes.emplace_back("the step time is the mean over the iterations");
    if (const Json* snapshots = object.array("snapshots"))
        addSnapshots(result, readSnapshots(*snapshots, log));
    object.take("component_memory");
    const Json rest = object.rest();
    for (const auto& [key, value] : rest.items())
        result.other["other_fields"][key] = value;
    return {result};
}

namespace {

RunResult readPoint(ImportObject& object, const Json& document, const std::string& path)
{
    ImportLog& log = object.log();
    RunResult result = importedRun(ResultKind::Sweep);
    const std::string mode = object.needText("mode").value_or("");
    const std::string statistic = object.text("time_stat").value_or("");
    const auto milliseconds = object.number("avg_time_ms");
    const auto peak = object.bytes("peak_memory_mb", kMiB);
    const auto gib = object.number("peak_memory_gb");
    if (peak && gib && std::abs(*gib * kGiB - static_cast<double>(*peak)) > 0.01 * kGiB)
        log.notes.push_back((path.empty() ? "" : path + ": ") +
                            "peak_memory_mb and peak_memory_gb do not agree "
                            "(one is decimal, the other not?); peak_memory_mb is taken as MiB");
    const Json* config = object.object("config");
    Json known = config ? *config : Json::object();
    for (const char* key : {"seq_length", "batch_size", "vocab_size", "hidden_dim", "num_layers", "num_heads",
                            "lora_rank", "model_name"}) {
        if (document.contains(key) && !document[key].is_null()) {
            known[key] = document[key];
            object.take(key);
        }
    }
    known.erase("mode");
    known.erase("time_stat");
    result.config = experimentFrom(known, log, path.empty() ? "config" : path + ".config");
    result.config["method"] = mode;
    if (const std::string clipping = clippingOf(mode); !clipping.empty())
        result.config["training"]["clipping"] = clipping;
    for (const char* key : {"num_gpus", "total_batch_size"}) {
        if (const auto count = object.integer(key))
            result.environment[key] = *count;
    }
    if (peak.value_or(0) > 0) {
        result.memory = emptyMemory();
        result.memory->peakBytes = *peak;
    } else {
        result.status = RunStatus::Failed;
        result.message =
            "the worker died before it measured: its peak is " + std::string(peak ? "0" : "missing") + " in the file";
    }
    readStepTime(result, milliseconds, statistic.empty() ? "unknown" : statistic);
    if (result.timing)
        log.notes.push_back(statistic.empty() ? "the file does not record which statistic the step time is"
                                              : "the step time is the " + statistic + " over the iterations");
    const Json rest = object.rest();
    if (!rest.empty())
        result.other["other_fields"] = rest;
    putSection(result, "sweep", sweepSection({result}));
    return result;
}

} // namespace

RunList readDpsgdPoints(const Json& document, ImportLog& log)
{
    RunList results;
    const bool many = document.is_array();
    for (std::size_t i = 0; i < (many ? document.size() : 1) && !log.problem.any(); ++i) {
        const Json& point = many ? document[i] : document;
        const std::string path = many ? atIndex(i) : "";
        ImportObject object(point, path, log);
        if (object.ok())
            results.push_back(readPoint(object, point, path));
    }
    std::sort(log.notes.begin(), log.notes.end());
    log.notes.erase(std::unique(log.notes.begin(), log.notes.end()), log.notes.end());
    return results;
}

} // namespace peakscope
