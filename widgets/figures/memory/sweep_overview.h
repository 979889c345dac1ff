// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A whole sweep at a glance, as memory_analysis_overview shows it: every point's peak and what it is made of, the time
// of a step, and what each value of each key does. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_panels.h"

namespace peakscope {

// Whether it is a sweep with at least one measured peak; the sentence says what is missing.
Status checkSweepPeaks(const RunResult& run);

FigureBlock sweepOverview(const FigureCanvas& canvas, const RunResult& run);

} // namespace peakscope
