// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines of several runs on one time axis: as they were recorded, with the same step at zero, or stretched so that
// the same phases of the same steps lie under one another. Any thread.
#pragma once

#include "core/results/run_result.h"

#include <vector>

namespace peakscope {

enum class TimelineAlignment {
    Start, // every run's own clock
    Step,  // the first measured step of every run begins at 0; durations stay
    Phase, // phases of a step begin where the base run's do: durations are stretched
};

// A run's time on the common axis: linear between knots, of slope 1 outside.
struct TimeMap {
    std::vector<double> from; // the run's own time, rising
    std::vector<double> to;   // on the common axis, rising

    double map(double seconds) const;
    double inverse(double seconds) const;
    bool stretches() const; // durations change somewhere
};

// What alignment looks at in a run.
struct AlignedRun {
    const MemorySection* memory = nullptr; // not owned; null: a run without memory, whose map is the identity
    std::int64_t warmupSteps = 0;          // steps before the first measured one
};
// From training.warmup_steps, else from what was timed.
std::int64_t warmupSteps(const RunResult& result);

// One map a run. Within a step (counted from the first measured one) the longest sequence of phases that both runs have
// in the same order is matched; the others are stretched with their neighbours. Runs without phases keep their clock.
std::vector<TimeMap> alignTimelines(const std::vector<AlignedRun>& runs, std::size_t base, TimelineAlignment alignment);

TimelineData mapped(const TimelineData& timeline, const TimeMap& map);
std::vector<PhaseMark> mapped(std::vector<PhaseMark> phases, const TimeMap& map);

} // namespace peakscope
