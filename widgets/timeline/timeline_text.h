// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A memory timeline in words and as a table, for screen readers and the clipboard. Private to the widgets.
#pragma once

#include "core/results/memory_timeline.h"

#include <QStringList>

#include <vector>

namespace peakscope {

// What a timeline's times are.
enum class TimelineAxis {
    Seconds,
    Events, // their numbers
    Steps,  // of an optimiser, that were over
};

// "2.4137 s" in the unit of an axis that shows [lower, upper] seconds on `pixels`, with as many decimals as make
// neighbouring pixels read differently.
QString timelineTimeText(double seconds, double lower, double upper, int pixels);
// The same on any axis: "event 1,204", "step 2".
QString timelinePlaceText(TimelineAxis axis, double place, double lower, double upper, int pixels);
// "Time", "Event", "Optimiser's steps".
QString timelineAxisTitle(TimelineAxis axis);

// The main numbers in one or two sentences; `budgetBytes` 0: none.
QString timelineSummary(const MemoryTimeline* timeline, std::int64_t budgetBytes, std::int64_t predictedBytes = 0,
                        bool predictionIsBound = false, TimelineAxis axis = TimelineAxis::Seconds);

// What is alive in [lower, upper] seconds, tab separated with a header line, C locale; at most `rows` rows, each the
// composition at the highest total of its piece of the range.
QString timelineTsv(const MemoryTimeline* timeline, double lower, double upper, int rows,
                    TimelineAxis axis = TimelineAxis::Seconds);

// The live bytes of several timelines at 1001 equally spaced times of [lower, upper] seconds, a column each, in the
// same form; empty where a timeline is null or has no record of that time.
QString lanesTsv(const QStringList& columns, const std::vector<const MemoryTimeline*>& timelines, double lower,
                 double upper);

} // namespace peakscope
