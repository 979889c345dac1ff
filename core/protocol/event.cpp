// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/event.h"

#include "core/base/json_access.h"
#include "core/base/json_reader.h"
#include "core/base/json_text.h"
#include "core/protocol/memory_line.h"

#include <cmath>
#include <utility>

namespace peakscope {

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;

nlohmann::json ownComponentNames()
{
    nlohmann::json names = nlohmann::json::array();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        names.push_back(name(static_cast<Component>(i)));
    }
    return names;
}

std::string lineOf(const StartEvent& event)
{
    return dumpJson({{"event", "start"},
                     {"id", event.id},
                     {"created", event.created},
                     {"config", event.config},
                     {"environment", event.environment},
                     {"components", ownComponentNames()}});
}

std::string lineOf(const PhaseEvent& event)
{
    return dumpJson({{"event", "phase"},
                     {"name", name(event.phase)},
                     {"step", event.step},
                     {"time_seconds", jsonNumber(event.timeSeconds)}});
}

std::string lineOf(const MemoryEvent& event)
{
    return memoryLine(event);
}

std::string lineOf(const SnapshotEvent& event)
{
    const Snapshot& snapshot = event.snapshot;
    return dumpJson({{"event", "snapshot"},
                     {"name", snapshot.name},
                     {"phase", snapshot.phase ? nlohmann::json(name(*snapshot.phase)) : nlohmann::json(nullptr)},
                     {"step", snapshot.step},
                     {"time_seconds", jsonNumber(snapshot.timeSeconds)},
                     {"allocated_bytes", snapshot.allocatedBytes},
                     {"reserved_bytes", snapshot.reservedBytes}});
}

std::string lineOf(const ProgressEvent& event)
{
    return dumpJson(
        {{"event", "progress"},
         {"fraction", jsonNumber(event.fraction)},
         {"remaining_seconds", event.remainingSeconds ? jsonNumber(*event.remainingSeconds) : nlohmann::json(nullptr)},
         {"message", event.message}});
}

std::string lineOf(const EstimateEvent& event)
{
    return dumpJson({{"event", "estimate"},
                     {"name", event.name},
                     {"mean", jsonNumber(event.mean)},
                     {"standard_error", jsonNumber(event.standardError)},
                     {"samples", event.samples}});
}

std::string lineOf(const PointEvent& event)
{
    return dumpJson({{"event", "point"}, {"values", event.values}});
}

// The data may be large: not copied into another document.
std::string lineOf(const StageEvent& event)
{
    return "{\"event\":\"stage\",\"name\":" + dumpJson(event.name) + ",\"data\":" + dumpJson(event.data) + "}";
}

std::string lineOf(const EndEvent& event)
{
    return dumpJson({{"event", "end"},
                     {"status", name(event.status)},
                     {"message", event.message},
                     {"notes", event.notes},
                     {"bad_input", event.badInput}});
}

Event readStart(JsonReader& reader)
{
    StartEvent event;
    reader.require("id", event.id);
    reader.read("created", event.created);
    reader.readObject("config", event.config);
    reader.readObject("environment", event.environment);
    return event;
}

Event readPhase(JsonReader& reader)
{
    PhaseEvent event;
    std::string text;
    reader.require("name", text);
    const auto phase = phaseFromName(text);
    if (reader.ok() && !phase) {
        reader.fail("name", describeJson(text) + " is not a phase");
    }
    event.phase = phase.value_or(Phase::Load);
    reader.read("step", event.step);
    reader.require("time_seconds", event.timeSeconds);
    return event;
}

Event readMemory(JsonReader& reader)
{
    MemoryEvent event;
    std::vector<std::int64_t> components;
    reader.require("time_seconds", event.timeSeconds);
    reader.require("delta_bytes", event.deltaBytes);
    reader.require("component", components);
    reader.read("allocated_bytes", event.allocatedBytes);
    reader.read("reserved_bytes", event.reservedBytes);
    reader.read("resident_bytes", event.residentBytes);
    for (std::size_t i = 0; i < components.size() && reader.ok(); ++i) {
        if (components[i] < 0 || components[i] > 255) {
            reader.fail("component[" + std::to_string(i) + "]",
                        std::to_string(components[i]) + " is not the number of a component");
        }
        event.component.push_back(static_cast<Component>(components[i]));
    }
    return event;
}

Event readSnapshotEvent(JsonReader& reader)
{
    Snapshot snapshot;
    std::string phase;
    reader.require("name", snapshot.name);
    reader.read("phase", phase);
    snapshot.phase = phaseFromName(phase);
    reader.read("step", snapshot.step);
    reader.read("time_seconds", snapshot.timeSeconds);
    reader.read("allocated_bytes", snapshot.allocatedBytes);
    reader.read("reserved_bytes", snapshot.reservedBytes);
    return SnapshotEvent{std::move(snapshot)};
}

Event readProgress(JsonReader& reader)
{
    ProgressEvent event;
    reader.require("fraction", event.fraction);
    if (const nlohmann::json* remaining = reader.find("remaining_seconds"); remaining && !remaining->is_null()) {
        reader.read("remaining_seconds", event.remainingSeconds);
    }
    reader.read("message", event.message);
    return event;
}

Event readEstimate(JsonReader& reader)
{
    EstimateEvent event;
    reader.require("name", event.name);
    reader.read("mean", event.mean);
    reader.read("standard_error", event.standardError);
    reader.read("samples", event.samples);
    return event;
}

Event readPointEvent(JsonReader& reader)
{
    PointEvent event;
    reader.readObject("values", event.values);
    return event;
}

Event readStage(JsonReader& reader)
{
    StageEvent event;
    reader.require("name", event.name);
    reader.readObject("data", event.data);
    return event;
}

Event readEnd(JsonReader& reader)
{
    EndEvent event;
    std::string status;
    reader.require("status", status);
    const auto known = runStatusFromName(status);
    if (reader.ok() && !known) {
        reader.fail("status", describeJson(status) + " is not a status");
    }
    event.status = known.value_or(RunStatus::Failed);
    reader.read("message", event.message);
    reader.read("notes", event.notes);
    reader.read("bad_input", event.badInput);
    return event;
}

using ReadFunction = Event (*)(JsonReader&);

ReadFunction readFunction(const std::string& event)
{
    static const std::map<std::string, ReadFunction> kFunctions{
        {"start", readStart},       {"phase", readPhase},
        {"memory", readMemory},     {"snapshot", readSnapshotEvent},
        {"progress", readProgress}, {"estimate", readEstimate},
        {"point", readPointEvent},  {"stage", readStage},
        {"end", readEnd},
    };
    const auto it = kFunctions.find(event);
    return it == kFunctions.end() ? nullptr : it->second;
}

// The event with component numbers as the line has them, and the names that a start line lists.
Result<Event> readLine(std::string_view line, std::vector<std::string>& components)
{
    int rank = -1;
    if (std::optional<MemoryEvent> memory = memoryFromLine(line, rank)) {
        Event event(std::move(*memory));
        event.rank = rank;
        return event;
    }
    if (line.empty() || line.front() != '{') {
        return badInput("", "not an event: a line starts with {");
    }
    Result<nlohmann::json> document = parseJson(line);
    if (!document) {
        return document.error();
    }
    JsonProblem problem;
    JsonReader reader(*document, "", problem);
    std::string text;
    reader.require("event", text);
    const ReadFunction read = readFunction(text);
    if (!problem.any() && !read) {
        reader.fail("event", describeJson(text) + " is not an event");
    }
    if (problem.any()) {
        return problem.status().error();
    }
    Event event = read(reader);
    std::int64_t number = -1;
    reader.read("rank", number);
    event.rank = number >= 0 && number <= kMostRanks ? static_cast<int>(number) : -1;
    reader.read("components", components);
    if (problem.any()) {
        return problem.status().error();
    }
    return event;
}

// Lengths, and numbers of components as this program has them.
Status checkMemoryEvent(MemoryEvent& event, const std::vector<Component>& components)
{
    constexpr std::int64_t kLargest = std::int64_t{1} << 52; // more than any machine has; keeps sums from overflowing
    const std::size_t size = event.timeSeconds.size();
    if (event.deltaBytes.size() != size || event.component.size() != size) {
        return badInput("memory", "time_seconds, delta_bytes and component are not equally long");
    }
    const std::size_t names = components.empty() ? kComponentCount : components.size();
    for (std::size_t i = 0; i < size; ++i) {
        const auto number = static_cast<std::size_t>(event.component[i]);
        if (number >= names || event.deltaBytes[i] > kLargest || event.deltaBytes[i] < -kLargest ||
            !std::isfinite(event.timeSeconds[i])) {
            return badInput("memory", "entry " + std::to_string(i) + " is not a time, a size and a component");
        }
        if (!components.empty()) {
            event.component[i] = components[number];
        }
    }
    return Done{};
}

} // namespace

std::string toLine(const Event& event)
{
    std::string line = std::visit([](const auto& one) { return lineOf(one); }, static_cast<const AnyEvent&>(event));
    if (event.rank >= 0) {
        line.insert(1, "\"rank\":" + std::to_string(event.rank) + ",");
    }
    return line;
}

Result<Event> EventReader::read(std::string_view line)
{
    std::vector<std::string> names;
    Result<Event> event = readLine(line, names);
    if (!event) {
        return event;
    }
    if (std::holds_alternative<StartEvent>(*event)) {
        std::vector<Component>& components = m_components[event->rank];
        components.clear();
        for (const std::string& text : names) {
            components.push_back(componentFromName(text).value_or(Component::Other));
        }
    }
    if (auto* memory = std::get_if<MemoryEvent>(&*event)) {
        if (const Status status = checkMemoryEvent(*memory, m_components[event->rank]); !status) {
            return status.error();
        }
    }
    return event;
}

} // namespace peakscope
