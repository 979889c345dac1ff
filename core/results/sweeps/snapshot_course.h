// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The snapshots of a run without a timeline as a course of points: known at the snapshots, not between them. Used by
// the timelines of the window and of the figures; any thread.
#pragma once

#include "core/results/run_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// All lists as long as `names`, those of what no snapshot recorded empty.
struct SnapshotCourse {
    // Positions are seconds since the first snapshot. Else they are 0, 1, 2 …: times are missing, or are no times of
    // snapshots that followed one another.
    bool timed = false;
    std::vector<double> position;
    std::vector<std::string> names;
    std::vector<std::int64_t> allocatedBytes;
    std::vector<std::int64_t> reservedBytes;
    std::vector<std::optional<std::int64_t>> maxAllocatedBytes; // what the snapshot recorded as the highest so far

    std::size_t size() const { return names.size(); }
    double endPosition() const { return position.empty() ? 0 : position.back(); }
    std::int64_t highestBytes() const;          // of all three
    std::int64_t highestAllocatedBytes() const; // without what was reserved
    // The snapshot nearest to a position, the earlier one of two. Not of an empty course.
    std::size_t nearest(double place) const;
};
SnapshotCourse snapshotCourse(const MemorySection& memory);

// Whether the snapshots stand in place of a timeline: there is none, and there is a snapshot, if only one.
bool drawsSnapshots(const MemorySection& memory);

// The stages that another program's script measured ("forward_pass"), in the order in which its snapshots begin and end
// them ("forward_pass_start"); those that none names last, by name.
struct StageOrder {
    std::vector<std::string> stages;
    bool timed = false; // the snapshots name any of them
};
StageOrder stageOrder(const nlohmann::json& stages, const std::vector<std::string>& snapshots);

struct RecordedStage {
    std::string name;
    std::int64_t bytes = 0;
};
// Those of a result with their sizes, in that order; empty for all but other programs' results.
struct RecordedStages {
    std::vector<RecordedStage> sizes;
    bool timed = false; // as in StageOrder
};
RecordedStages recordedStages(const RunResult& result);

// A point of an imported sweep as a run by itself.
struct SnapshotPoint {
    std::size_t point = 0; // its place in the sweep
    std::string setting;   // "seq 128, batch 8"
    RunResult run;         // its memory holds the point's peak and snapshots, its configuration the point's values
};
// In the sweep's order; empty for what is no sweep and where no point has snapshots.
std::vector<SnapshotPoint> snapshotPoints(const RunResult& sweep);

} // namespace peakscope
