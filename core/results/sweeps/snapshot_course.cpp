// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/snapshot_course.h"

#include "core/base/json/json_reader.h"

#include "core/results/memory_json.h"
#include "core/results/sweeps/sweep_document.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// Finite, none before its predecessor, and not all at one time.
bool haveTimes(const MemorySection& memory)
{
    const std::vector<Snapshot>& snapshots = memory.snapshots;
    if (snapshots.empty() || !memory.has("snapshots.time_seconds"))
        return false;
    const auto finite = [](const Snapshot& snapshot) { return std::isfinite(snapshot.timeSeconds); };
    const auto earlier = [](const Snapshot& a, const Snapshot& b) { return a.timeSeconds < b.timeSeconds; };
    return std::all_of(snapshots.begin(), snapshots.end(), finite) &&
           std::is_sorted(snapshots.begin(), snapshots.end(), earlier) &&
           snapshots.back().timeSeconds > snapshots.front().timeSeconds;
}

// Nothing where the point has no snapshots, or some that cannot be read.
std::optional<MemorySection> pointMemory(const SweepPoint& point)
{
    const auto snapshots = point.other.find("snapshots");
    if (!point.peakBytes || snapshots == point.other.end())
        return std::nullopt;
    const nlohmann::json section{{"peak_bytes", *point.peakBytes}, {"snapshots", *snapshots}};
    JsonProblem problem;
    Notes notes;
    JsonReader reader(section, "", problem);
    MemorySection memory = readMembers<MemorySection>(reader, notes);
    return reader.ok() && drawsSnapshots(memory) ? std::optional(std::move(memory)) : std::nullopt;
}

// The sweep's experiment with the point's values ("data.seq") in their places.
nlohmann::json configOf(nlohmann::json base, const nlohmann::json& values)
{
    if (!base.is_object())
        base = nlohmann::json::object();
    for (const auto& [key, value] : values.items()) {
        nlohmann::json* place = &base;
        std::size_t from = 0;
        for (std::size_t dot; (dot = key.find('.', from)) != std::string::npos; from = dot + 1) {
            place = &(*place)[key.substr(from, dot - from)];
            if (!place->is_object())
                *place = nlohmann::json::object();
        }
        (*place)[key.substr(from)] = value;
    }
    return base;
}

} // namespace

SnapshotCourse snapshotCourse(const MemorySection& memory)
{
    SnapshotCourse course;
    course.timed = haveTimes(memory);
    bool anyMaximum = false;
    for (const Snapshot& snapshot : memory.snapshots) {
        const auto order = static_cast<double>(course.size());
        course.position.push_back(course.timed ? snapshot.timeSeconds - memory.snapshots.front().timeSeconds : order);
        course.names.push_back(snapshot.name);
        course.allocatedBytes.push_back(snapshot.allocatedBytes);
        course.reservedBytes.push_back(snapshot.reservedBytes);
        course.maxAllocatedBytes.push_back(snapshot.maxAllocatedBytes);
        anyMaximum = anyMaximum || snapshot.maxAllocatedBytes;
    }
    if (!memory.has("snapshots.reserved_bytes"))
        course.reservedBytes.clear();
    if (!anyMaximum)
        course.maxAllocatedBytes.clear();
    return course;
}

std::int64_t SnapshotCourse::highestAllocatedBytes() const
{
    std::int64_t highest = 0;
    for (const std::int64_t bytes : allocatedBytes)
        highest = std::max(highest, bytes);
    for (const auto& bytes : maxAllocatedBytes)
        highest = std::max(highest, bytes.value_or(0));
    return highest;
}

std::int64_t SnapshotCourse::highestBytes() const
{
    std::int64_t highest = highestAllocatedBytes();
    for (const std::int64_t bytes : reservedBytes)
        highest = std::max(highest, bytes);
    return highest;
}

std::size_t SnapshotCourse::nearest(double place) const
{
    const auto closer = [place](double a, double b) { return std::abs(a - place) < std::abs(b - place); };
    return static_cast<std::size_t>(std::min_element(position.begin(), position.end(), closer) - position.begin());
}

bool drawsSnapshots(const MemorySection& memory)
{
    return memory.timeline.size() == 0 && !memory.snapshots.empty();
}

StageOrder stageOrder(const nlohmann::json& stages, const std::vector<std::string>& snapshots)
{
    StageOrder order;
    if (!stages.is_object())
        return order;
    std::vector<std::pair<std::ptrdiff_t, std::string>> placed; // by the first snapshot that names it
    for (const auto& [stage, bytes] : stages.items()) {
        const auto names = [begin = stage + "_"](const std::string& snapshot) { return snapshot.starts_with(begin); };
        const auto first = std::find_if(snapshots.begin(), snapshots.end(), names);
        order.timed = order.timed || first != snapshots.end();
        placed.emplace_back(first - snapshots.begin(), stage);
    }
    std::sort(placed.begin(), placed.end());
    for (auto& [place, stage] : placed)
        order.stages.push_back(std::move(stage));
    return order;
}

RecordedStages recordedStages(const RunResult& result)
{
    const nlohmann::json& stages = lenient::object(lenient::member(result.other, "memory"), "stages");
    const StageOrder order =
        stageOrder(stages, result.memory ? snapshotCourse(*result.memory).names : std::vector<std::string>());
    RecordedStages recorded{{}, order.timed};
    for (const std::string& stage : order.stages) {
        if (stages[stage].is_number_integer())
            recorded.sizes.push_back({stage, stages[stage].get<std::int64_t>()});
    }
    return recorded;
}

std::vector<SnapshotPoint> snapshotPoints(const RunResult& sweep)
{
    std::vector<SnapshotPoint> points;
    if (sweep.kind != ResultKind::Sweep)
        return points;
    const auto document = sweepOf(sweep);
    if (!document)
        return points;
    const std::vector<std::string> axes = sweepAxes(*document);
    for (std::size_t i = 0; i < document->points.size(); ++i) {
        const SweepPoint& point = document->points[i];
        std::optional<MemorySection> memory = pointMemory(point);
        if (!memory)
            continue;
        RunResult run;
        run.id = sweep.id;
        run.synthetic = sweep.synthetic;
        run.status = runStatusFromName(point.status).value_or(RunStatus::Complete);
        run.memory = std::move(memory);
        run.notes = sweep.notes;
        run.config = configOf(sweep.config, point.values);
        if (const auto source = sweep.other.find("source"); source != sweep.other.end())
            run.other["source"] = *source;
        if (const auto stages = point.other.find("stages"); stages != point.other.end())
            run.other["memory"]["stages"] = *stages;
        if (const auto seconds = point.other.find("total_seconds"); seconds != point.other.end())
            run.other["total_seconds"] = *seconds;
        nlohmann::json setting = nlohmann::json::object(); // of what differs between the points
        for (const std::string& key : axes) {
            if (point.values.contains(key))
                setting[key] = point.values[key];
        }
        std::string name = sweepSetting(setting);
        if (!name.empty())
            run.other["source"]["setting"] = name; // what it is called outside of its sweep
        points.push_back({i, std::move(name), std::move(run)});
    }
    return points;
}

} // namespace peakscope
