// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A panel of upright stacked bars over a numbered axis, with its own key under it. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_legend.h"

#include <vector>

namespace peakscope {

struct ColumnStack {
    std::int64_t position = 0; // on the axis
    std::vector<BarPart> parts;
};

struct ColumnPanel {
    QString title;
    QString xTitle;
    QString yTitle; // with its unit
    AxisUnit unit;
    std::vector<ColumnStack> columns; // positions rise
    std::vector<LegendEntry> legend;
};

double columnPanelHeight(const FigureCanvas& canvas, const ColumnPanel& panel, double width);
void drawColumnPanel(FigureCanvas& canvas, const QRectF& rect, const ColumnPanel& panel);

} // namespace peakscope
