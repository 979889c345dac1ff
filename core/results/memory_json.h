// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "memory" and "timing" sections of the result document and of its ranks as JSON and back. Used by the
// readers and writers of results, here and in core/import.
#pragma once

#include "core/results/json_fields.h"
#include "core/results/run_sections.h"

#include <string>
#include <vector>

namespace peakscope {

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

void members(auto& fields, Of<Timing> auto& timing)
{
    // An imported file with one figure for all steps has no list of them; a run that measured none has an empty one.
    const bool listed = !timing.stepSeconds.empty() || timing.medianStepSeconds == 0;
    const Field lists = listed ? Field::Always : Field::Never;
    fields("step_seconds", timing.stepSeconds, lists);
    fields("median_step_seconds", timing.medianStepSeconds);
    fields("warmup_seconds", timing.warmupSeconds, lists);
    fields("traced", timing.traced);
}

void members(auto& fields, Of<PhaseMark> auto& mark)
{
    fields("phase", mark.phase);
    fields("step", mark.step);
    fields("time_seconds", mark.timeSeconds, Field::Required);
}

void members(auto& fields, Of<Snapshot> auto& snapshot)
{
    fields("name", snapshot.name, Field::Required);
    fields("phase", snapshot.phase);
    fields("step", snapshot.step, Field::MayLack);
    fields("time_seconds", snapshot.timeSeconds, Field::MayLack);
    fields("allocated_bytes", snapshot.allocatedBytes);
    fields("reserved_bytes", snapshot.reservedBytes, Field::MayLack);
    fields("max_allocated_bytes", snapshot.maxAllocatedBytes, Field::IfSet);
}

void members(auto& fields, Of<ModuleUsage> auto& module)
{
    fields("name", module.name, Field::Required);
    fields("kind", module.kind);
    fields("parameter_bytes", module.parameterBytes, Field::MayLack);
    fields("gradient_bytes", module.gradientBytes, Field::MayLack);
    fields("activation_bytes", module.activationBytes, Field::MayLack);
    fields("peak_bytes", module.peakBytes, Field::MayLack);
    fields("forward_seconds", module.forwardSeconds, Field::MayLack);
    fields("backward_seconds", module.backwardSeconds, Field::MayLack);
    fields("at_peak", module.atPeak, Field::IfSet);
}

void members(auto& fields, Of<OperatorUsage> auto& usage)
{
    fields("name", usage.name, Field::Required);
    fields("phase", usage.phase);
    fields("count", usage.count, Field::MayLack);
    fields("allocated_bytes", usage.allocatedBytes, Field::MayLack);
    fields("peak_bytes", usage.peakBytes, Field::MayLack);
    fields("seconds", usage.seconds, Field::MayLack);
}

void members(auto& fields, Of<MarkUsage> auto& mark)
{
    fields("name", mark.name, Field::Required);
    fields("peak_bytes", mark.peakBytes);
    fields("bytes_at_peak", mark.bytesAtPeak);
    fields("time_seconds", mark.timeSeconds);
    fields("bytes", mark.bytes);
}

void members(auto& fields, Of<StepTable> auto& rows)
{
    fields("step", rows.step);
    fields("peak_bytes", rows.peakBytes);
    fields("live_bytes", rows.liveBytes);
    fields("seconds", rows.seconds);
    fields("batch_shape", rows.batchShape);
}

void members(auto& fields, Of<MemorySection> auto& memory)
{
    fields("peak_bytes", memory.peakBytes, Field::Required);
    fields("peak_requested_bytes", memory.peakRequestedBytes, Field::MayLack);
    fields("peak_reserved_bytes", memory.peakReservedBytes, Field::MayLack);
    fields("peak_resident_bytes", memory.peakResidentBytes, Field::MayLack);
    fields("peak_time_seconds", memory.peakTimeSeconds, Field::MayLack);
    fields("peak_components", memory.peakComponents, Field::MayLack);
    fields("max_components", memory.maxComponents, Field::MayLack);
    fields.apart("timeline", memory.timeline);
    fields.apart("owners", memory.owners);
    fields("phases", memory.phases, Field::MayLack);
    fields("snapshots", memory.snapshots, Field::MayLack);
    fields("modules", memory.modules, Field::MayLack);
    fields("operators", memory.operators, Field::MayLack);
    fields("marks", memory.marks, Field::MayLack);
    fields("steps", memory.steps, Field::IfSet);
}

// Marks of phases that this version does not know are left out.
void readJson(JsonReader& reader, std::string_view key, std::vector<PhaseMark>& marks, Notes& notes);
void readJson(JsonReader& reader, std::string_view key, TimelineData& timeline, Notes& notes);
void readJson(JsonReader& reader, std::string_view key, EventOwners& owners, Notes& notes);
void readJson(JsonReader& reader, std::string_view key, StepTable& rows, Notes& notes);
void checkMembers(JsonReader& reader, MarkUsage& mark, Notes& notes);
// Finds out what the section lacks.
void checkMembers(JsonReader& reader, MemorySection& memory, Notes& notes);

} // namespace peakscope
