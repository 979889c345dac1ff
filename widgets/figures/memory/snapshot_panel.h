// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One run's snapshots inside the axes of a timeline, for runs that have no timeline. Used by the memory_timeline
// figure.
#pragma once

#include "core/results/run_result.h"
#include "core/results/sweeps/snapshot_course.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_legend.h"

#include <vector>

namespace peakscope {

// The keys of what the courses have; empty for none.
std::vector<LegendEntry> snapshotLegend(const FigureCanvas& canvas, const std::vector<SnapshotCourse>& courses);

// Of the names above the plot, read upwards.
double snapshotNamesHeight(const FigureCanvas& canvas, const SnapshotCourse& course);

struct SnapshotPanel {
    const RunResult* run = nullptr;         // not owned
    const SnapshotCourse* course = nullptr; // not owned
    AxisArea area;
    Ticks yTicks;
    double namesHeight = 0; // above the plot; 0: no names
};
void drawSnapshotPanel(FigureCanvas& canvas, const SnapshotPanel& panel);

} // namespace peakscope
