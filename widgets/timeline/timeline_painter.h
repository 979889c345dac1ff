// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a memory timeline: stacked components, phase bands, steps, budget, reserved memory and the peak. Plain QPainter
// functions on a scene, used by MemoryTimelineView; GUI thread.
#pragma once

#include "core/results/component_reading.h"
#include "core/results/memory_timeline.h"
#include "widgets/look/theme.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"

#include <QFont>
#include <QString>

#include <array>
#include <cstdint>
#include <vector>

class QPainter;

namespace peakscope {

// A value that holds until the next time.
struct StepCurve {
    std::vector<double> timeSeconds;
    std::vector<std::int64_t> bytes;

    // As far as both go.
    static StepCurve of(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes);
    bool append(double timeSeconds, std::int64_t bytes); // false: it says nothing new
    std::int64_t maximum() const;
    std::int64_t at(double timeSeconds) const; // 0 before the first
};

// A place of the axis that has something to say.
struct TimelineInstant {
    double place = 0;
    QString text;
    bool bad = false; // where a run ended
};

struct TimelineScene {
    const MemoryTimeline* timeline = nullptr;
    std::vector<PhaseMark> phases;               // in order of time
    std::int64_t budgetBytes = 0;                // 0: none
    std::int64_t predictedBytes = 0;             // the predicted peak; 0: none
    bool predictionIsBound = false;              // it is the most that was planned for
    ComponentDoubt doubt = ComponentDoubt::None; // of a run that goes on or was killed: first guesses
    StepCurve reserved;
    StepCurve chosen; // the part of the stack that is pointed out
    std::vector<StepCurve> marks;
    std::vector<TimelineInstant> instants;
    std::array<bool, kComponentCount> visible; // components drawn in the stack
    ChartTheme theme;
    QFont font;

    TimelineScene() { visible.fill(true); }
    bool showsAllComponents() const;
    std::vector<Phase> phasesPresent() const; // each once, in the order of Phase
    // The phase at a time; null before the first.
    const PhaseMark* phaseAt(double timeSeconds) const;
};

// All that there is to see: the run, what was reserved, limits that are not far above, and head room for words.
PlotArea timelineBounds(const TimelineScene& scene, bool isLive);
// Faint full-height bands and the lines where steps, or groups of thin ones, begin; under the grid.
void paintPhaseTints(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene);
// Lines across at `ticks`, bytes as `whole` places them: several lanes may share its axis. Above the tints.
void paintByteGrid(QPainter& painter, const PlotGeometry& geometry, const PlotGeometry& whole,
                   const QList<double>& ticks, const ChartTheme& theme);
// The stack, one column a device pixel.
void paintStack(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene);
// Reserved memory, marks, budget and peak, over the stack.
void paintLimits(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene);
// Two rows of names above the plot: steps ("1–100" where they are thin), phases (shares of a band where they are).
void paintPhaseStrip(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene);

} // namespace peakscope
