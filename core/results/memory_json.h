// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "memory" and "timing" sections of the result document and of its ranks as JSON and back. Used by the
// readers and writers of results, here and in core/import.
#pragma once

#include "core/base/json_reader.h"
#include "core/results/run_sections.h"

#include <string>
#include <utility>
#include <vector>

namespace peakscope {

// Members in the order in which they are written.
using JsonFields = std::vector<std::pair<std::string, nlohmann::json>>;

// Bytes of every component by name, zeros included.
nlohmann::json componentBytesToJson(const ComponentBytes& bytes);
// Names that are no component count as `other`, and a note says so.
void readComponentBytes(JsonReader& reader, std::string_view key, ComponentBytes& out, std::vector<std::string>& notes);

// All members but the timeline, which is large and has its own functions. What the section lacks (`missing`) is left
// out.
JsonFields memoryFields(const MemorySection& memory);
bool writesTimeline(const MemorySection& memory);
nlohmann::json timelineToJson(const TimelineData& timeline);
void appendTimelineText(std::string& out, const TimelineData& timeline);
// The whole section, timeline included.
nlohmann::json memoryToJson(const MemorySection& memory);
// The same as text, with members that this version does not know at its end; `indent` opens a member's line.
void appendMemoryText(std::string& out, const MemorySection& memory, const nlohmann::json& unknown,
                      const std::string& indent);
// `"key": value` after the separator.
void appendField(std::string& out, const std::string& separator, const std::string& key, const nlohmann::json& value);

// Every member that results of other programs may lack, those of lists' elements as "snapshots.step"; without the
// components'.
std::vector<std::string> memoryMembers();

// Problems go to the reader's; what is odd but readable becomes a note.
MemorySection readMemorySection(JsonReader& reader, std::vector<std::string>& notes);
// Members of the section that this version does not know; null where there is none.
nlohmann::json unknownMemoryMembers(const JsonReader& reader);

nlohmann::json timingToJson(const Timing& timing);
Timing readTimingSection(JsonReader& reader);
nlohmann::json unknownTimingMembers(const JsonReader& reader);

// Adds a note unless it is there already.
void addNote(std::vector<std::string>& notes, std::string note);

} // namespace peakscope
