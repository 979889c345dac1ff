// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of their time axis the figures of timelines show, and the words for it. Private to the figures.
#pragma once

#include "core/results/run_result.h"
#include "widgets/figures/page/figure_preset.h"
#include "widgets/timeline/timeline_span.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace peakscope {

struct TimelineOfRun {
    const MemorySection* memory = nullptr;    // not owned
    const MemoryTimeline* timeline = nullptr; // not owned
};

// What the preset asks for, as far as `whole` goes; nothing of it that is there: `whole`.
std::optional<TimeSpan> askedRange(const FigurePreset& preset, const TimeSpan& whole);
// That, or what the window shows first: the steps.
TimeSpan shownRange(const FigurePreset& preset, const std::vector<TimelineOfRun>& runs, const TimeSpan& whole);
// "All 3 steps", "the program's start and end are left out"; nothing where all is shown. Of an axis that is not
// `timed`, the events.
QStringList rangeCaption(const std::vector<TimelineOfRun>& runs, const TimeSpan& shown, const TimeSpan& whole,
                         bool timed = true);

} // namespace peakscope
