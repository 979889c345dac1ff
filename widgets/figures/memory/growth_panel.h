// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A panel of a measure over a key: points of every setting, fits where the points tell them, and a sentence of all.
// Shared by the trends of a sweep and the overview of runs; private to the figures.
#pragma once

#include "core/analysis/comparison/sweep_growth.h"
#include "widgets/figures/page/figure_panels.h"

namespace peakscope {

Panel growthPanel(const FigureCanvas& canvas, SweepGrowth growth, bool ofTwo = true);

} // namespace peakscope
