// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a timeline is shown before the user chooses one.
#pragma once

#include "widgets/timeline/timeline_painter.h"

#include <vector>

namespace peakscope {

struct TimeSpan {
    double begin = 0;
    double end = 0;

    bool operator==(const TimeSpan&) const = default;
};

// A run on an axis that it may share with others. Not owned.
struct SpannedRun {
    const std::vector<PhaseMark>* phases = nullptr;
    const MemoryTimeline* timeline = nullptr; // may be null
};

// The steps of finished runs, their peaks, and a little around them. All of `whole` where a run has no steps, or where
// they are half of it.
TimeSpan stepsSpan(const std::vector<SpannedRun>& runs, const TimeSpan& whole);

// In place of seconds: the last few steps.
inline constexpr double kLastSteps = -1;

// The same of one run that is shown alone.
PlotArea stepsArea(const TimelineScene& scene, const PlotArea& bounds);
// The end of a run that goes on: its last `seconds`, or kLastSteps; 0: all of it. Bytes as in `view`.
PlotArea followedArea(const TimelineScene& scene, const PlotArea& bounds, const PlotArea& view, double seconds);

// "Last 5 s".
QString spanTitle(double seconds);

} // namespace peakscope
