// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/memory_json.h"

#include "core/base/json_access.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

nlohmann::json seconds(double value)
{
    return std::abs(value) < kRoundedSeconds ? nlohmann::json(std::round(value * 1e9) / 1e9) : jsonNumber(value);
}

nlohmann::json secondsArray(const std::vector<double>& values)
{
    nlohmann::json out = nlohmann::json::array();
    for (const double value : values) {
        out.push_back(seconds(value));
    }
    return out;
}

template <typename T>
nlohmann::json nameOrNull(const std::optional<T>& value)
{
    return value ? nlohmann::json(name(*value)) : nlohmann::json(nullptr);
}

nlohmann::json componentNames()
{
    nlohmann::json names = nlohmann::json::array();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        names.push_back(name(static_cast<Component>(i)));
    }
    return names;
}

nlohmann::json phasesToJson(const std::vector<PhaseMark>& phases)
{
    nlohmann::json out = nlohmann::json::array();
    for (const PhaseMark& mark : phases) {
        out.push_back({{"phase", name(mark.phase)}, {"step", mark.step}, {"time_seconds", seconds(mark.timeSeconds)}});
    }
    return out;
}

nlohmann::json snapshotsToJson(const std::vector<Snapshot>& snapshots)
{
    nlohmann::json out = nlohmann::json::array();
    for (const Snapshot& snapshot : snapshots) {
        out.push_back({{"name", snapshot.name},
                       {"phase", nameOrNull(snapshot.phase)},
                       {"step", snapshot.step},
                       {"time_seconds", seconds(snapshot.timeSeconds)},
                       {"allocated_bytes", snapshot.allocatedBytes},
                       {"reserved_bytes", snapshot.reservedBytes}});
    }
    return out;
}

nlohmann::json modulesToJson(const std::vector<ModuleUsage>& modules)
{
    nlohmann::json out = nlohmann::json::array();
    for (const ModuleUsage& module : modules) {
        out.push_back({{"name", module.name},
                       {"kind", nameOrNull(module.kind)},
                       {"parameter_bytes", module.parameterBytes},
                       {"gradient_bytes", module.gradientBytes},
                       {"activation_bytes", module.activationBytes},
                       {"peak_bytes", module.peakBytes},
                       {"forward_seconds", jsonNumber(module.forwardSeconds)},
                       {"backward_seconds", jsonNumber(module.backwardSeconds)}});
    }
    return out;
}

nlohmann::json operatorsToJson(const std::vector<OperatorUsage>& operators)
{
    nlohmann::json out = nlohmann::json::array();
    for (const OperatorUsage& usage : operators) {
        out.push_back({{"name", usage.name},
                       {"phase", nameOrNull(usage.phase)},
                       {"count", usage.count},
                       {"allocated_bytes", usage.allocatedBytes},
                       {"peak_bytes", usage.peakBytes},
                       {"seconds", jsonNumber(usage.seconds)}});
    }
    return out;
}

nlohmann::json marksToJson(const std::vector<MarkUsage>& marks)
{
    nlohmann::json out = nlohmann::json::array();
    for (const MarkUsage& mark : marks) {
        out.push_back({{"name", mark.name},
                       {"peak_bytes", mark.peakBytes},
                       {"bytes_at_peak", mark.bytesAtPeak},
                       {"time_seconds", secondsArray(mark.timeSeconds)},
                       {"bytes", mark.bytes}});
    }
    return out;
}

// A phase by name; null, "" and absence are none, and so is an unknown name, with a note.
std::optional<Phase> readPhase(JsonReader& reader, std::string_view key, std::vector<std::string>& notes)
{
    std::string text;
    reader.read(key, text);
    const std::optional<Phase> phase = phaseFromName(text);
    if (!phase && !text.empty()) {
        addNote(notes, describeJson(text) + " is not a phase; left out");
    }
    return phase;
}

std::optional<ModuleKind> readModuleKind(JsonReader& reader, std::vector<std::string>& notes)
{
    std::string text;
    reader.read("kind", text);
    const std::optional<ModuleKind> kind = moduleKindFromName(text);
    if (!kind && !text.empty()) {
        addNote(notes, describeJson(text) + " is not a module kind; left out");
    }
    return kind;
}

PhaseMark readPhaseMark(JsonReader& reader, const std::optional<Phase>& phase)
{
    PhaseMark mark;
    mark.phase = *phase;
    reader.read("step", mark.step);
    reader.require("time_seconds", mark.timeSeconds);
    return mark;
}

Snapshot readSnapshot(JsonReader& reader, std::vector<std::string>& notes)
{
    Snapshot snapshot;
    reader.require("name", snapshot.name);
    snapshot.phase = readPhase(reader, "phase", notes);
    reader.read("step", snapshot.step);
    reader.read("time_seconds", snapshot.timeSeconds);
    reader.read("allocated_bytes", snapshot.allocatedBytes);
    reader.read("reserved_bytes", snapshot.reservedBytes);
    return snapshot;
}

ModuleUsage readModule(JsonReader& reader, std::vector<std::string>& notes)
{
    ModuleUsage module;
    reader.require("name", module.name);
    module.kind = readModuleKind(reader, notes);
    reader.read("parameter_bytes", module.parameterBytes);
    reader.read("gradient_bytes", module.gradientBytes);
    reader.read("activation_bytes", module.activationBytes);
    reader.read("peak_bytes", module.peakBytes);
    reader.read("forward_seconds", module.forwardSeconds);
    reader.read("backward_seconds", module.backwardSeconds);
    return module;
}

OperatorUsage readOperator(JsonReader& reader, std::vector<std::string>& notes)
{
    OperatorUsage usage;
    reader.require("name", usage.name);
    usage.phase = readPhase(reader, "phase", notes);
    reader.read("count", usage.count);
    reader.read("allocated_bytes", usage.allocatedBytes);
    reader.read("peak_bytes", usage.peakBytes);
    reader.read("seconds", usage.seconds);
    return usage;
}

void checkFinite(JsonReader& reader, std::string_view key, const std::vector<double>& times)
{
    const auto bad = std::find_if(times.begin(), times.end(), [](double t) { return !std::isfinite(t); });
    if (bad != times.end()) {
        reader.fail(std::string(key) + "[" + std::to_string(bad - times.begin()) + "]", "null is not a time");
    }
}

MarkUsage readMark(JsonReader& reader)
{
    MarkUsage mark;
    reader.require("name", mark.name);
    reader.read("peak_bytes", mark.peakBytes);
    reader.read("bytes_at_peak", mark.bytesAtPeak);
    reader.read("time_seconds", mark.timeSeconds);
    reader.read("bytes", mark.bytes);
    checkFinite(reader, "time_seconds", mark.timeSeconds);
    if (mark.timeSeconds.size() != mark.bytes.size()) {
        reader.fail("bytes", "has " + std::to_string(mark.bytes.size()) + " values, time_seconds has " +
                                 std::to_string(mark.timeSeconds.size()));
    }
    return mark;
}

// Component of every name in the document's own list.
std::vector<Component> readComponentNames(JsonReader& reader, std::vector<std::string>& notes)
{
    std::vector<std::string> names;
    reader.require("components", names);
    std::vector<Component> components;
    for (const std::string& text : names) {
        const auto component = componentFromName(text);
        if (!component) {
            addNote(notes, "component " + describeJson(text) + " is unknown here; its bytes count as \"other\"");
        }
        components.push_back(component.value_or(Component::Other));
    }
    return components;
}

void readComponentIndices(JsonReader& reader, const std::vector<Component>& components, TimelineData& timeline)
{
    std::vector<std::int64_t> indices;
    reader.require("component", indices);
    timeline.component.reserve(indices.size());
    for (const std::int64_t index : indices) {
        if (index < 0 || index >= static_cast<std::int64_t>(components.size())) {
            reader.fail("component[" + std::to_string(timeline.component.size()) + "]",
                        std::to_string(index) + " is not an index of " + reader.pathOf("components") + " (" +
                            std::to_string(components.size()) + " names)");
            return;
        }
        timeline.component.push_back(components[static_cast<std::size_t>(index)]);
    }
}

// Sums that leave the integers are refused, so that nothing behind this point can overflow; a component that goes
// below zero is odd but can be drawn.
void checkSums(JsonReader& reader, const TimelineData& timeline, std::vector<std::string>& notes)
{
    constexpr std::int64_t kLargest = std::int64_t{1} << 58; // sixteen times this is still an int64
    ComponentBytes live{};
    bool below = false;
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        const std::int64_t delta = timeline.deltaBytes[i];
        std::int64_t& bytes = live[static_cast<std::size_t>(timeline.component[i])];
        if (delta > kLargest || delta < -kLargest || bytes + delta > kLargest || bytes + delta < -kLargest) {
            reader.fail("delta_bytes[" + std::to_string(i) + "]",
                        std::to_string(delta) + " takes a component beyond 2^58 bytes");
            return;
        }
        bytes += delta;
        if (bytes < 0 && !below) {
            below = true;
            addNote(notes, "memory.timeline: " + std::string(name(timeline.component[i])) +
                               " goes below zero at event " + std::to_string(i));
        }
    }
}

TimelineData readTimeline(JsonReader& reader, std::vector<std::string>& notes)
{
    TimelineData timeline;
    reader.require("time_seconds", timeline.timeSeconds);
    reader.require("delta_bytes", timeline.deltaBytes);
    const std::vector<Component> components = readComponentNames(reader, notes);
    readComponentIndices(reader, components, timeline);
    reader.read("merged", timeline.merged);
    checkFinite(reader, "time_seconds", timeline.timeSeconds);
    if (!reader.ok()) {
        return {};
    }
    for (const auto& [key, size] : {std::pair<const char*, std::size_t>{"delta_bytes", timeline.deltaBytes.size()},
                                    {"component", timeline.component.size()}}) {
        if (size != timeline.size()) {
            reader.fail(key,
                        "has " + std::to_string(size) + " values, time_seconds has " + std::to_string(timeline.size()));
            return {};
        }
    }
    checkSums(reader, timeline, notes);
    return timeline;
}

void noteSums(const MemorySection& memory, bool hasComponents, std::vector<std::string>& notes)
{
    std::uint64_t sum = 0; // unsigned: bytes of a hostile file may wrap here without harm
    for (const std::int64_t bytes : memory.peakComponents) {
        sum += static_cast<std::uint64_t>(bytes);
    }
    if (hasComponents && static_cast<std::int64_t>(sum) != memory.peakBytes) {
        addNote(notes, "memory.peak_components sum to " + std::to_string(static_cast<std::int64_t>(sum)) +
                           " bytes, memory.peak_bytes is " + std::to_string(memory.peakBytes));
    }
}

// Members that results of other programs may lack, and those of the elements of their lists.
constexpr std::array<std::string_view, 12> kMemoryMembers{"peak_requested_bytes",
                                                          "peak_reserved_bytes",
                                                          "peak_resident_bytes",
                                                          "peak_time_seconds",
                                                          "peak_components",
                                                          "max_components",
                                                          "timeline",
                                                          "phases",
                                                          "snapshots",
                                                          "modules",
                                                          "operators",
                                                          "marks"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kElementMembers{{
    {"snapshots", "step"},
    {"snapshots", "time_seconds"},
    {"snapshots", "reserved_bytes"},
    {"modules", "parameter_bytes"},
    {"modules", "gradient_bytes"},
    {"modules", "activation_bytes"},
    {"modules", "peak_bytes"},
    {"modules", "forward_seconds"},
    {"modules", "backward_seconds"},
    {"operators", "count"},
    {"operators", "allocated_bytes"},
    {"operators", "peak_bytes"},
    {"operators", "seconds"},
}};

std::string elementMember(std::string_view list, std::string_view key)
{
    return std::string(list) + "." + std::string(key);
}

std::vector<std::string> missingMembers(const JsonReader& reader)
{
    std::vector<std::string> missing;
    for (const std::string_view key : kMemoryMembers) {
        if (!reader.has(key)) {
            missing.emplace_back(key);
        }
    }
    for (const auto& [list, key] : kElementMembers) {
        const nlohmann::json* elements = reader.find(list);
        const auto has = [key = key](const nlohmann::json& element) { return element.contains(key); };
        if (elements && !elements->empty() && std::none_of(elements->begin(), elements->end(), has)) {
            missing.push_back(elementMember(list, key));
        }
    }
    for (const std::string_view object : {"peak_components", "max_components"}) {
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            const std::string key(name(static_cast<Component>(i)));
            if (const nlohmann::json* components = reader.find(object); components && !components->contains(key)) {
                missing.push_back(elementMember(object, key));
            }
        }
    }
    return missing;
}

// Zero, empty, or an object of zeros.
bool holdsNothing(const nlohmann::json& value)
{
    if (value.is_number()) {
        return value.get<double>() == 0;
    }
    return value.is_array() ? value.empty() : value.is_null() || std::all_of(value.begin(), value.end(), holdsNothing);
}

void dropMissingMembers(nlohmann::json& list, std::string_view name, const MemorySection& memory)
{
    for (auto component = list.begin(); list.is_object() && component != list.end();) {
        const bool drop = *component == 0 && !memory.has(elementMember(name, component.key()));
        component = drop ? list.erase(component) : std::next(component);
    }
    for (const auto& [of, key] : kElementMembers) {
        if (of != name || memory.has(elementMember(of, key))) {
            continue;
        }
        const bool nothing = std::all_of(list.begin(), list.end(), [key = key](const nlohmann::json& element) {
            return holdsNothing(element.at(std::string(key)));
        });
        for (nlohmann::json& element : list) {
            if (nothing) {
                element.erase(std::string(key));
            }
        }
    }
}

} // namespace

void addNote(std::vector<std::string>& notes, std::string note)
{
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(std::move(note));
    }
}

nlohmann::json componentBytesToJson(const ComponentBytes& bytes)
{
    nlohmann::json out = nlohmann::json::object();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        out[std::string(name(static_cast<Component>(i)))] = bytes[i];
    }
    return out;
}

void readComponentBytes(JsonReader& reader, std::string_view key, ComponentBytes& out, std::vector<std::string>& notes)
{
    auto object = reader.object(key);
    if (!object) {
        return;
    }
    out = {};
    for (const auto& [text, value] : reader.find(key)->items()) {
        std::int64_t bytes = 0;
        object->read(text, bytes);
        if (const auto component = componentFromName(text)) {
            out[static_cast<std::size_t>(*component)] += bytes;
        } else {
            addNote(notes, "component " + describeJson(text) + " is unknown here; its bytes count as \"other\"");
            auto& other = out[static_cast<std::size_t>(Component::Other)];
            if (__builtin_add_overflow(other, bytes, &other)) {
                object->fail(text, "is more than a size can be");
            }
        }
    }
}

JsonFields memoryFields(const MemorySection& memory)
{
    JsonFields fields{
        {"peak_bytes", memory.peakBytes},
        {"peak_requested_bytes", memory.peakRequestedBytes},
        {"peak_reserved_bytes", memory.peakReservedBytes},
        {"peak_resident_bytes", memory.peakResidentBytes},
        {"peak_time_seconds", seconds(memory.peakTimeSeconds)},
        {"peak_components", componentBytesToJson(memory.peakComponents)},
        {"max_components", componentBytesToJson(memory.maxComponents)},
        {"phases", phasesToJson(memory.phases)},
        {"snapshots", snapshotsToJson(memory.snapshots)},
        {"modules", modulesToJson(memory.modules)},
        {"operators", operatorsToJson(memory.operators)},
        {"marks", marksToJson(memory.marks)},
    };
    for (auto& [key, value] : fields) {
        dropMissingMembers(value, key, memory);
    }
    std::erase_if(fields, [&](const auto& field) { return !memory.has(field.first) && holdsNothing(field.second); });
    return fields;
}

bool writesTimeline(const MemorySection& memory)
{
    return memory.has("timeline") || memory.timeline.size() > 0;
}

nlohmann::json timelineToJson(const TimelineData& timeline)
{
    nlohmann::json indices = nlohmann::json::array();
    for (const Component component : timeline.component) {
        indices.push_back(static_cast<std::int64_t>(component));
    }
    return {{"time_seconds", secondsArray(timeline.timeSeconds)},
            {"delta_bytes", timeline.deltaBytes},
            {"component", std::move(indices)},
            {"components", componentNames()},
            {"merged", timeline.merged}};
}

void appendTimelineText(std::string& out, const TimelineData& timeline)
{
    out.reserve(out.size() + timeline.size() * 24 + 512);
    out += "{\"time_seconds\": ";
    appendArray(out, timeline.timeSeconds, appendSeconds);
    out += ",\n   \"delta_bytes\": ";
    appendArray(out, timeline.deltaBytes, appendInteger);
    out += ",\n   \"component\": ";
    appendArray(out, timeline.component, [](std::string& text, Component component) {
        appendInteger(text, static_cast<std::int64_t>(component));
    });
    out += ",\n   \"components\": " + dumpJson(componentNames());
    out += timeline.merged ? ",\n   \"merged\": true}" : ",\n   \"merged\": false}";
}

nlohmann::json memoryToJson(const MemorySection& memory)
{
    nlohmann::json section = nlohmann::json::object();
    for (auto& [key, value] : memoryFields(memory)) {
        section[key] = std::move(value);
    }
    if (writesTimeline(memory)) {
        section["timeline"] = timelineToJson(memory.timeline);
    }
    return section;
}

void appendField(std::string& out, const std::string& separator, const std::string& key, const nlohmann::json& value)
{
    out += separator;
    out += dumpJson(key) + ": " + dumpJson(value);
}

void appendMemoryText(std::string& out, const MemorySection& memory, const nlohmann::json& unknown,
                      const std::string& indent)
{
    out += "{";
    std::string separator = indent;
    if (writesTimeline(memory)) {
        out += indent + "\"timeline\": ";
        appendTimelineText(out, memory.timeline);
        separator = "," + indent;
    }
    JsonFields fields = memoryFields(memory);
    for (const auto& [key, value] : unknown.items()) {
        fields.emplace_back(key, value);
    }
    for (const auto& [key, value] : fields) {
        appendField(out, separator, key, value);
        separator = "," + indent;
    }
    out += "}";
}

std::vector<std::string> memoryMembers()
{
    std::vector<std::string> members(kMemoryMembers.begin(), kMemoryMembers.end());
    for (const auto& [list, key] : kElementMembers) {
        members.push_back(elementMember(list, key));
    }
    return members;
}

MemorySection readMemorySection(JsonReader& reader, std::vector<std::string>& notes)
{
    MemorySection memory;
    reader.require("peak_bytes", memory.peakBytes);
    reader.read("peak_requested_bytes", memory.peakRequestedBytes);
    reader.read("peak_reserved_bytes", memory.peakReservedBytes);
    reader.read("peak_resident_bytes", memory.peakResidentBytes);
    reader.read("peak_time_seconds", memory.peakTimeSeconds);
    readComponentBytes(reader, "peak_components", memory.peakComponents, notes);
    readComponentBytes(reader, "max_components", memory.maxComponents, notes);
    if (auto timeline = reader.object("timeline")) {
        memory.timeline = readTimeline(*timeline, notes);
    }
    reader.forEach("phases", [&](JsonReader& element) {
        if (const auto phase = readPhase(element, "phase", notes)) {
            memory.phases.push_back(readPhaseMark(element, phase));
        }
    });
    reader.forEach("snapshots", [&](JsonReader& element) { memory.snapshots.push_back(readSnapshot(element, notes)); });
    reader.forEach("modules", [&](JsonReader& element) { memory.modules.push_back(readModule(element, notes)); });
    reader.forEach("operators", [&](JsonReader& element) { memory.operators.push_back(readOperator(element, notes)); });
    reader.forEach("marks", [&](JsonReader& element) { memory.marks.push_back(readMark(element)); });
    if (reader.ok()) {
        memory.missing = missingMembers(reader);
        const bool atPeak = reader.has("peak_components") && !reader.has("components_measured");
        noteSums(memory, atPeak, notes);
    }
    return memory;
}

nlohmann::json unknownMemoryMembers(const JsonReader& reader)
{
    return reader.others({"peak_bytes", "peak_requested_bytes", "peak_reserved_bytes", "peak_resident_bytes",
                          "peak_time_seconds", "peak_components", "max_components", "timeline", "phases", "snapshots",
                          "modules", "operators", "marks"});
}

nlohmann::json timingToJson(const Timing& timing)
{
    nlohmann::json section = {{"median_step_seconds", jsonNumber(timing.medianStepSeconds)}, {"traced", timing.traced}};
    // An imported file with one figure for all steps has no list of them; a run that measured none has an empty one.
    if (!timing.stepSeconds.empty() || timing.medianStepSeconds == 0) {
        section["step_seconds"] = jsonNumbers(timing.stepSeconds);
        section["warmup_seconds"] = jsonNumbers(timing.warmupSeconds);
    }
    return section;
}

Timing readTimingSection(JsonReader& reader)
{
    Timing timing;
    reader.read("step_seconds", timing.stepSeconds);
    reader.read("median_step_seconds", timing.medianStepSeconds);
    reader.read("warmup_seconds", timing.warmupSeconds);
    reader.read("traced", timing.traced);
    return timing;
}

nlohmann::json unknownTimingMembers(const JsonReader& reader)
{
    return reader.others({"step_seconds", "median_step_seconds", "warmup_seconds", "traced"});
}

} // namespace peakscope
