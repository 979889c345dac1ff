// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/rank_section.h"

#include "core/base/json_access.h"
#include "core/base/json_reader.h"
#include "core/results/memory_json.h"

#include <algorithm>

namespace peakscope {

namespace {

nlohmann::json communicationToJson(const CommunicationSection& communication)
{
    nlohmann::json collectives = nlohmann::json::array();
    for (const CollectiveUsage& usage : communication.collectives) {
        collectives.push_back({{"name", usage.name},
                               {"count", usage.count},
                               {"bytes", usage.bytes},
                               {"seconds", jsonNumber(usage.seconds)}});
    }
    return {{"seconds", jsonNumber(communication.seconds)},
            {"share", jsonNumber(communication.share)},
            {"collectives", std::move(collectives)}};
}

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
    if (section.timing) {
        fields.emplace_back("timing", timingToJson(*section.timing));
        fields.back().second.update(unknownIn(section, "timing"));
    }
    if (section.communication) {
        fields.emplace_back("communication", communicationToJson(*section.communication));
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

void keepUnknown(RankSection& section, const char* key, nlohmann::json members)
{
    if (members.is_object()) {
        section.other[key] = std::move(members);
    }
}

CommunicationSection readCommunication(JsonReader& reader)
{
    CommunicationSection communication;
    reader.read("seconds", communication.seconds);
    reader.read("share", communication.share);
    reader.forEach("collectives", [&](JsonReader& element) {
        CollectiveUsage usage;
        element.require("name", usage.name);
        element.read("count", usage.count);
        element.read("bytes", usage.bytes);
        element.read("seconds", usage.seconds);
        communication.collectives.push_back(std::move(usage));
    });
    return communication;
}

void readStatus(JsonReader& reader, RankSection& section)
{
    if (!reader.has("status")) {
        return;
    }
    std::string text;
    reader.require("status", text);
    const std::optional<RunStatus> status = runStatusFromName(text);
    if (status) {
        section.status = *status;
    } else if (reader.ok()) {
        reader.fail("status", describeJson(text) + " is none of complete, interrupted, over_budget, failed");
    }
}

RankSection readRankSection(JsonReader& reader, std::vector<std::string>& notes)
{
    RankSection section;
    reader.require("rank", section.rank);
    if (reader.ok() && section.rank < 0) {
        reader.fail("rank", std::to_string(section.rank) + " is no rank; the first is 0");
    }
    reader.read("host", section.host);
    reader.read("device", section.device);
    readStatus(reader, section);
    reader.read("message", section.message);
    if (auto timing = reader.object("timing")) {
        section.timing = readTimingSection(*timing);
        keepUnknown(section, "timing", unknownTimingMembers(*timing));
    }
    if (auto communication = reader.object("communication")) {
        section.communication = readCommunication(*communication);
        keepUnknown(section, "communication", communication->others({"seconds", "share", "collectives"}));
    }
    if (auto memory = reader.object("memory")) {
        std::vector<std::string> own;
        section.memory = readMemorySection(*memory, own);
        for (const std::string& note : own) {
            addNote(notes, "rank " + std::to_string(section.rank) + ": " + note);
        }
        keepUnknown(section, "memory", unknownMemoryMembers(*memory));
    }
    const nlohmann::json others =
        reader.others({"rank", "host", "device", "status", "message", "timing", "communication", "memory"});
    if (others.is_object()) {
        section.other.update(others);
    }
    return section;
}

} // namespace

nlohmann::json toJson(const RankSection& section)
{
    nlohmann::json out = nlohmann::json::object();
    for (auto& [key, value] : fieldsBeforeMemory(section)) {
        out[key] = std::move(value);
    }
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
            element.fail("rank", std::to_string(section.rank) + " is there twice");
        }
        sections.push_back(std::move(section));
    });
    std::stable_sort(sections.begin(), sections.end(),
                     [](const RankSection& a, const RankSection& b) { return a.rank < b.rank; });
    return sections;
}

} // namespace peakscope
