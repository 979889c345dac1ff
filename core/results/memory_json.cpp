// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/memory_json.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

void checkFinite(JsonReader& reader, std::string_view key, const std::vector<double>& times)
{
    const auto bad = std::find_if(times.begin(), times.end(), [](double t) { return !std::isfinite(t); });
    if (bad != times.end()) {
        reader.fail(std::string(key) + "[" + std::to_string(bad - times.begin()) + "]", "null is not a time");
    }
}

} // namespace

// Marks of phases that this version does not know are left out.
void readJson(JsonReader& reader, std::string_view key, std::vector<PhaseMark>& marks, Notes& notes)
{
    reader.forEach(key, [&](JsonReader& element) {
        std::optional<Phase> phase;
        readJson(element, "phase", phase, notes);
        if (phase) {
            marks.push_back(readMembers<PhaseMark>(element, notes));
        }
    });
}

void checkMembers(JsonReader& reader, MarkUsage& mark, Notes&)
{
    checkFinite(reader, "time_seconds", mark.timeSeconds);
    if (mark.timeSeconds.size() != mark.bytes.size()) {
        reader.fail("bytes", "has " + std::to_string(mark.bytes.size()) + " values, time_seconds has " +
                                 std::to_string(mark.timeSeconds.size()));
    }
}

namespace {

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

TimelineData readTimeline(JsonReader& reader, Notes& notes)
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

} // namespace

void readJson(JsonReader& reader, std::string_view key, TimelineData& timeline, Notes& notes)
{
    if (auto section = reader.object(key)) {
        timeline = readTimeline(*section, notes);
    }
}

namespace {

void readOwners(JsonReader& reader, std::string_view key, std::string_view namesKey,
                std::vector<std::uint32_t>& numbers, std::vector<std::string>& names)
{
    std::vector<std::int64_t> read;
    reader.require(namesKey, names);
    reader.require(key, read);
    numbers.reserve(read.size());
    for (const std::int64_t number : read) {
        if (number < 0 || number > static_cast<std::int64_t>(names.size())) {
            reader.fail(std::string(key) + "[" + std::to_string(numbers.size()) + "]",
                        std::to_string(number) + " is neither 0 nor a number of " + reader.pathOf(namesKey) + " (" +
                            std::to_string(names.size()) + " names)");
            return;
        }
        numbers.push_back(static_cast<std::uint32_t>(number));
    }
}

// Each owner's column with the names that it refers to.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOwnerKeys{
    {{"module", "modules"}, {"operator", "operators"}, {"line", "lines"}, {"stack", "stacks"}}};
constexpr std::size_t kAlwaysThere = 3; // stacks are where they were asked for
auto ownerColumns(auto& owners)
{
    return std::array{std::pair(&owners.module, &owners.modules), std::pair(&owners.operation, &owners.operators),
                      std::pair(&owners.line, &owners.lines), std::pair(&owners.stack, &owners.stacks)};
}

} // namespace

void readJson(JsonReader& reader, std::string_view key, EventOwners& owners, Notes&)
{
    if (auto section = reader.object(key)) {
        const auto columns = ownerColumns(owners);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i >= kAlwaysThere && !section->has(kOwnerKeys[i].first))
                continue;
            readOwners(*section, kOwnerKeys[i].first, kOwnerKeys[i].second, *columns[i].first, *columns[i].second);
            if (columns[i].first->size() != owners.module.size())
                section->fail(kOwnerKeys[i].first, "has " + std::to_string(columns[i].first->size()) +
                                                       " values, module has " + std::to_string(owners.module.size()));
        }
    }
}

namespace {

template <typename T>
bool isAsLong(JsonReader& reader, const char* key, const std::vector<T>& column, std::size_t rows)
{
    if (column.size() != rows)
        reader.fail(key, "has " + std::to_string(column.size()) + " values, step has " + std::to_string(rows));
    return column.size() == rows;
}

} // namespace

void readJson(JsonReader& reader, std::string_view key, StepTable& rows, Notes& notes)
{
    if (auto section = reader.object(key)) {
        rows = readMembers<StepTable>(*section, notes);
        const std::size_t count = rows.step.size();
        if (!isAsLong(*section, "peak_bytes", rows.peakBytes, count) ||
            !isAsLong(*section, "live_bytes", rows.liveBytes, count) ||
            !isAsLong(*section, "seconds", rows.seconds, count) ||
            !isAsLong(*section, "batch_shape", rows.batchShape, count))
            rows = {};
    }
}

namespace {

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

std::string elementMember(std::string_view list, std::string_view key)
{
    return std::string(list) + "." + std::string(key);
}

// Members of the elements of lists that results of other programs may lack.
std::vector<std::pair<std::string_view, std::string_view>> elementMembers()
{
    std::vector<std::pair<std::string_view, std::string_view>> members;
    for (const auto& [list, keys] : {std::pair<std::string_view, FieldKeys>{"snapshots", keysOf<Snapshot>()},
                                     {"modules", keysOf<ModuleUsage>()},
                                     {"operators", keysOf<OperatorUsage>()}}) {
        for (const std::string_view key : keys.lackable) {
            members.emplace_back(list, key);
        }
    }
    return members;
}

std::vector<std::string> missingMembers(const JsonReader& reader)
{
    std::vector<std::string> missing;
    for (const std::string_view key : keysOf<MemorySection>().lackable) {
        if (!reader.has(key)) {
            missing.emplace_back(key);
        }
    }
    for (const auto& [list, key] : elementMembers()) {
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

// Of each element's object: most of a module's components are none of its own.
void dropZeros(nlohmann::json& elements, const char* object)
{
    for (nlohmann::json& element : elements) {
        if (!element.contains(object)) {
            continue;
        }
        nlohmann::json& counts = element[object];
        for (auto count = counts.begin(); count != counts.end();) {
            count = *count == 0 ? counts.erase(count) : std::next(count);
        }
    }
}

void dropMissingMembers(nlohmann::json& list, std::string_view name, const MemorySection& memory)
{
    for (auto component = list.begin(); list.is_object() && component != list.end();) {
        const bool drop = *component == 0 && !memory.has(elementMember(name, component.key()));
        component = drop ? list.erase(component) : std::next(component);
    }
    for (const auto& [of, key] : elementMembers()) {
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

JsonFields memoryFields(const MemorySection& memory)
{
    FieldWriter writer(Times::Nanoseconds);
    members(writer, memory);
    JsonFields fields = writer.take();
    for (auto& [key, value] : fields) {
        if (key == "modules") {
            dropZeros(value, "at_peak");
        }
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
    nlohmann::json times = nlohmann::json::array();
    for (const double time : timeline.timeSeconds) {
        times.push_back(timeJson(time));
    }
    return {{"time_seconds", std::move(times)},
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

namespace {

std::size_t columnsOf(const EventOwners& owners)
{
    return owners.stack.empty() ? kAlwaysThere : kOwnerKeys.size();
}

nlohmann::json ownersToJson(const EventOwners& owners)
{
    nlohmann::json section;
    const auto columns = ownerColumns(owners);
    for (std::size_t i = 0; i < columnsOf(owners); ++i) {
        section[std::string(kOwnerKeys[i].first)] = *columns[i].first;
        section[std::string(kOwnerKeys[i].second)] = *columns[i].second;
    }
    return section;
}

void appendOwnersText(std::string& out, const EventOwners& owners)
{
    const auto columns = ownerColumns(owners);
    std::string separator = "{";
    for (std::size_t i = 0; i < columnsOf(owners); ++i) {
        appendField(out, separator, std::string(kOwnerKeys[i].second), *columns[i].second);
        separator = ",\n   ";
        out += separator + dumpJson(kOwnerKeys[i].first) + ": ";
        appendArray(out, *columns[i].first,
                    [](std::string& text, std::uint32_t number) { appendInteger(text, number); });
    }
    out += "}";
}

} // namespace

nlohmann::json memoryToJson(const MemorySection& memory)
{
    nlohmann::json section = jsonObject(memoryFields(memory));
    if (!memory.owners.empty())
        section["owners"] = ownersToJson(memory.owners);
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
    if (!memory.owners.empty()) {
        out += separator + "\"owners\": ";
        appendOwnersText(out, memory.owners);
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
    const FieldKeys keys = keysOf<MemorySection>();
    std::vector<std::string> members(keys.lackable.begin(), keys.lackable.end());
    for (const auto& [list, key] : elementMembers()) {
        members.push_back(elementMember(list, key));
    }
    return members;
}

void checkMembers(JsonReader& reader, MemorySection& memory, Notes& notes)
{
    if (reader.ok()) {
        memory.missing = missingMembers(reader);
        const bool atPeak = reader.has("peak_components") && !reader.has("components_measured");
        noteSums(memory, atPeak, notes);
        if (!memory.owners.empty() && memory.owners.module.size() != memory.timeline.size())
            reader.fail("owners", "has " + std::to_string(memory.owners.module.size()) + " entries, timeline has " +
                                      std::to_string(memory.timeline.size()));
    }
}

} // namespace peakscope
