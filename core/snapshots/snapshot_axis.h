// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a snapshot along an axis: by their number, by time, or by the optimiser's steps, each of which is one
// unit long; and what was allocated there as a timeline. Pure functions.
#pragma once

#include "core/results/memory_timeline.h"
#include "core/results/run_instant.h"
#include "core/snapshots/snapshot_recording.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace peakscope {

enum class SnapshotAxis : std::uint8_t { Events, Time, Steps };
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<SnapshotAxis>{"events", "time", "steps"};

// Refers to the recording, which outlives it.
class SnapshotPlaces
{
public:
    SnapshotPlaces(const SnapshotRecording& recording, SnapshotAxis axis);

    // Of an event's number, 0 to the number of events: its number, seconds since the first, or steps that were over.
    double of(std::int64_t event) const;
    // The last event at or before the place; -1: before the first.
    std::int64_t eventAt(double place) const;

private:
    const std::vector<AllocatorEvent>& m_events;
    const std::vector<std::int64_t>& m_stepEnds;
    SnapshotAxis m_axis;
};

// What blocks took and gave back, by inferred component; `before` was alive before the first event.
struct SnapshotTimeline {
    TimelineData data;
    ComponentBytes before{};
};
SnapshotTimeline snapshotTimeline(const SnapshotRecording& recording, SnapshotAxis axis);

// The same as an index that answers for any place.
MemoryTimeline timelineAlong(const SnapshotRecording& recording, SnapshotAxis axis);

// A copy of a snapshot's result whose timeline and phases lie along the axis.
std::shared_ptr<RunResult> resultAlong(const RunResult& run, SnapshotAxis axis);

// What was reserved.
PlacedBytes reservedAlong(const SnapshotRecording& recording, SnapshotAxis axis);

// The inferred phases, with the numbers of their steps from 1 on.
std::vector<PhaseMark> snapshotPhases(const SnapshotRecording& recording, SnapshotAxis axis);

} // namespace peakscope
