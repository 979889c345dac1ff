// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One run's stacked timeline inside its axes: phase strip, step marks, the stack, limits, the peak. Used by the
// memory_timeline and memory_ranks figures.
#pragma once

#include "core/results/memory_timeline.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/timeline/timeline_span.h"

#include <vector>

namespace peakscope {

// A stretch of one phase, or of one step.
struct PhaseSpan {
    Phase phase = Phase::Load;
    std::int64_t step = 0;
    double startSeconds = 0;
    double endSeconds = 0;
};
std::vector<PhaseSpan> phaseSpans(const MemorySection& memory);
std::vector<PhaseSpan> stepSpans(const MemorySection& memory);

// The phases of the runs that have no room for their name, in full or in short, anywhere in a strip `width` points
// wide: the legend names them.
std::vector<Phase> unnamedPhases(const FigureCanvas& canvas, const std::vector<const MemorySection*>& rows,
                                 const TimeSpan& shown, double width);
// The most that each component holds within a span, as far as a page shows it.
ComponentBytes mostWithin(const MemoryTimeline& timeline, const TimeSpan& shown);

// A level worth a line across the plot: the budget, what was reserved, what was predicted.
struct ReferenceLine {
    QString name;
    std::int64_t bytes = 0;
    Dash dash = Dash::Dashed;
    bool limit = false; // drawn in the colour of warnings
};
std::vector<ReferenceLine> referenceLines(const RunResult& run);

// What the names of the step row and the phase row take at the left of the plot.
double rowNamesWidth(const FigureCanvas& canvas);

// The line of the n-th mark of an experiment.
Dash markDash(int index);

struct TimelinePanel {
    const RunResult* run = nullptr;           // not owned
    const MemoryTimeline* timeline = nullptr; // not owned
    AxisArea area;
    Ticks yTicks;
    double stripHeight = 0; // of the phase row above the plot and of the step row above that; 0: tints only
    bool stepRow = true;
    bool inferred = false; // what its bytes are for
};
// A component's own hatch, but where what bytes are for is inferred: there a hatch says that, as in the window.
Fill stackFill(Component component, bool inferred);
void drawTimelinePanel(FigureCanvas& canvas, const TimelinePanel& panel);

} // namespace peakscope
