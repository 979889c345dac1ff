// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/event.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/json/json_text.h"
#include "core/protocol/memory_line.h"
#include "core/results/memory_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace peakscope {

void members(auto& fields, Of<StartEvent> auto& event)
{
    fields("id", event.id, Field::Required);
    fields("created", event.created);
    fields("config", event.config);
    fields("environment", event.environment);
}

void members(auto& fields, Of<PhaseEvent> auto& event)
{
    fields("name", event.phase);
    fields("step", event.step);
    fields("time_seconds", event.timeSeconds, Field::Required);
}

void members(auto& fields, Of<SnapshotEvent> auto& event)
{
    members(fields, event.snapshot);
}

void members(auto& fields, Of<ProgressEvent> auto& event)
{
    fields("fraction", event.fraction, Field::Required);
    fields("remaining_seconds", event.remainingSeconds, Field::OrNull);
    fields("message", event.message);
    fields("done", event.done, Field::IfSet);
    fields("all", event.all, Field::IfSet);
    fields("program", event.program, Field::IfSet);
}

void members(auto& fields, Of<EstimateEvent> auto& event)
{
    fields("name", event.name, Field::Required);
    fields("mean", event.mean);
    fields("standard_error", event.standardError);
    fields("samples", event.samples);
}

void members(auto& fields, Of<PointEvent> auto& event)
{
    fields("values", event.values);
}

void members(auto& fields, Of<StageEvent> auto& event)
{
    fields("name", event.name, Field::Required);
    fields("data", event.data);
}

void members(auto& fields, Of<EndFate> auto& end)
{
    fields("kind", end.fate.kind, Field::Required);
    fields("number", end.fate.number);
    fields("launcher", end.launcher, Field::IfSet);
    fields("program", end.program, Field::IfSet);
    fields("last_said", end.lastSaid, Field::IfSet);
}

// Null and absence are none.
template <typename T>
requires std::same_as<T, EndFate> || std::same_as<T, DryProgress>
void readJson(JsonReader& reader, std::string_view key, std::optional<T>& out, Notes& notes)
{
    if (auto object = reader.object(key))
        out = readMembers<T>(*object, notes);
}

void members(auto& fields, Of<EndEvent> auto& event)
{
    fields("status", event.status);
    fields("message", event.message);
    fields("notes", event.notes);
    fields("bad_input", event.badInput);
    fields("fate", event.fate, Field::IfSet);
    fields("file", event.file, Field::IfSet);
}

void readJson(JsonReader& reader, std::string_view key, RunStatus& out, Notes&)
{
    std::string text;
    reader.require(key, text);
    const auto known = runStatusFromName(text);
    if (reader.ok() && !known) {
        reader.fail(key, describeJson(text) + " is not a status");
    }
    out = known.value_or(RunStatus::Failed);
}

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;

std::string lineOf(std::string_view name, const auto& event)
{
    nlohmann::json line = membersJson(event);
    line["event"] = name;
    return dumpJson(line);
}

std::string lineOf(std::string_view name, const StartEvent& event)
{
    nlohmann::json line = membersJson(event);
    line["event"] = name;
    line["components"] = componentNames();
    return dumpJson(line);
}

std::string lineOf(std::string_view, const MemoryEvent& event)
{
    return memoryLine(event);
}

// The data may be large: not copied into another document.
std::string lineOf(std::string_view, const StageEvent& event)
{
    return "{\"event\":\"stage\",\"name\":" + dumpJson(event.name) + ",\"data\":" + dumpJson(event.data) + "}";
}

template <typename T>
Event readEvent(JsonReader& reader)
{
    Notes notes; // a phase that this version does not know is none
    return readMembers<T>(reader, notes);
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

struct EventForm {
    std::string_view name;
    Event (*read)(JsonReader&);
};
// In the order of AnyEvent.
constexpr std::array<EventForm, std::variant_size_v<AnyEvent>> kForms{{{"start", readEvent<StartEvent>},
                                                                       {"phase", readEvent<PhaseEvent>},
                                                                       {"memory", readMemory},
                                                                       {"snapshot", readEvent<SnapshotEvent>},
                                                                       {"progress", readEvent<ProgressEvent>},
                                                                       {"estimate", readEvent<EstimateEvent>},
                                                                       {"point", readEvent<PointEvent>},
                                                                       {"stage", readEvent<StageEvent>},
                                                                       {"end", readEvent<EndEvent>}}};

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
    const auto form =
        std::find_if(kForms.begin(), kForms.end(), [&](const EventForm& each) { return each.name == text; });
    if (!problem.any() && form == kForms.end()) {
        reader.fail("event", describeJson(text) + " is not an event");
    }
    if (problem.any()) {
        return problem.status().error();
    }
    Event event = form->read(reader);
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
    std::string line = std::visit([&](const auto& one) { return lineOf(kForms[event.index()].name, one); },
                                  static_cast<const AnyEvent&>(event));
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
