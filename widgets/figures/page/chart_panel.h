// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A chart on a page: its area between its axes. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_canvas.h"
#include "widgets/plot/chart.h"

namespace peakscope {

// With room for an area `plot` high.
double chartHeight(const FigureCanvas& canvas, double plot);
// Says whether the numbers had room.
bool drawChart(FigureCanvas& canvas, const QRectF& rect, const Chart& chart);

} // namespace peakscope
