// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/rank_section.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/results/field_schema.h"
#include "core/results/memory_json.h"
#include "core/results/result_schema.h"

#include <algorithm>

namespace peakscope {

void members(auto& fields, Of<CollectivePhase> auto& part)
{
    fields("phase", part.phase, Field::Required);
    fields("count", part.count);
    fields("bytes", part.bytes);
}

void members(auto& fields, Of<CollectiveUsage> auto& usage)
{
    fields("name", usage.name, Field::Required);
    fields("count", usage.count);
    fields("bytes", usage.bytes);
    fields("seconds", usage.seconds);
    fields("phases", usage.phases, Field::IfSet);
}

void members(auto& fields, Of<CommunicationSection> auto& communication)
{
    fields("seconds", communication.seconds);
    fields("share", communication.share);
    fields("overlapped_seconds", communication.overlappedSeconds, Field::IfSet);
    fields("collectives", communication.collectives);
}

namespace {

// Members of one of the entry's sections that this version does not know, put back where they came from.
nlohmann::json unknownIn(const RankSection& section, const char* key)
{
    return lenient::object(section.other, key);
}

JsonFields fieldsBeforeMemory(const RankSection& section)
{
    JsonFields fields{{"rank", section.rank}, {"host", section.host}, {"device", section.device}};
    if (section.status != RunStatus::Complete) {
        fields.emplace_back("status", name(section.status));
    }
    if (!section.message.empty()) {
        fields.emplace_back("message", section.message);
    }
    if (section.sameAs) {
        fields.emplace_back("same_as", *section.sameAs);
    }
    if (section.timing) {
        fields.emplace_back("timing", membersJson(*section.timing));
        fields.back().second.update(unknownIn(section, "timing"));
    }
    if (section.communication) {
        fields.emplace_back("communication", membersJson(*section.communication));
        fields.back().second.update(unknownIn(section, "communication"));
    }
    for (const auto& [key, value] : section.other.items()) {
        const bool inside = (key == "memory" && section.memory) || (key == "timing" && section.timing) ||
                            (key == "communication" && section.communication);
        if (!inside) {
            fields.emplace_back(key, value);
        }
    }
    return fields;
}

RankSection readRankSection(JsonReader& reader, std::vector<std::string>& notes)
{
    RankSection section;
    reader.require("rank", section.rank);
    if (reader.ok() && section.rank < 0) {
        reader.fail("rank", std::to_string(section.rank) + " is not a rank; the first is 0");
    }
    reader.read("host", section.host);
    reader.read("device", section.device);
    readJson(reader, "status", section.status, notes);
    reader.read("message", section.message);
    std::int64_t same = -1;
    reader.read("same_as", same);
    if (same >= 0) {
        section.sameAs = same;
    }
    readSection(reader, "timing", section.timing, section.other, notes);
    readSection(reader, "communication", section.communication, section.other, notes);
    Notes own;
    readSection(reader, "memory", section.memory, section.other, own);
    for (const std::string& note : own) {
        addNote(notes, "rank " + std::to_string(section.rank) + ": " + note);
    }
    const nlohmann::json others =
        reader.others({"rank", "host", "device", "status", "message", "same_as", "timing", "communication", "memory"});
    if (others.is_object()) {
        section.other.update(others);
    }
    return section;
}

} // namespace

nlohmann::json toJson(const RankSection& section)
{
    nlohmann::json out = jsonObject(fieldsBeforeMemory(section));
    if (section.memory) {
        out["memory"] = memoryToJson(*section.memory);
        out["memory"].update(unknownIn(section, "memory"));
    }
    return out;
}

void appendRankText(std::string& out, const RankSection& section)
{
    out += "{";
    const char* separator = "";
    for (const auto& [key, value] : fieldsBeforeMemory(section)) {
        appendField(out, separator, key, value);
        separator = ",\n   ";
    }
    if (section.memory) {
        out += ",\n   \"memory\": ";
        appendMemoryText(out, *section.memory, unknownIn(section, "memory"), "\n    ");
    }
    out += "}";
}

std::vector<RankSection> readRankSections(JsonReader& reader, std::string_view key, std::vector<std::string>& notes)
{
    std::vector<RankSection> sections;
    reader.forEach(key, [&](JsonReader& element) {
        RankSection section = readRankSection(element, notes);
        const auto same = [&](const RankSection& other) { return other.rank == section.rank; };
        if (element.ok() && std::any_of(sections.begin(), sections.end(), same)) {
            element.fail("rank", std::to_string(section.rank) + " appears twice");
        }
        sections.push_back(std::move(section));
    });
    std::stable_sort(sections.begin(), sections.end(),
                     [](const RankSection& a, const RankSection& b) { return a.rank < b.rank; });
    return sections;
}

nlohmann::json rankSchema()
{
    nlohmann::json keys{
        {"rank", typeSchema("integer")},           {"host", typeSchema("string")},
        {"device", typeSchema("string")},          {"status", {{"enum", wordsOf(RunStatus::Complete)}}},
        {"message", typeSchema("string")},         {"same_as", typeSchema("integer")},
        {"timing", membersSchema<Timing>()},       {"communication", membersSchema<CommunicationSection>()},
        {"memory", membersSchema<MemorySection>()}};
    return {{"type", "object"}, {"properties", std::move(keys)}, {"required", {"rank"}}};
}

} // namespace peakscope
