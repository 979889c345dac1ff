// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Legends (always outside the plot area), badges and panel headings of the figures. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_canvas.h"

#include <QStringList>

#include <vector>

namespace peakscope {

// Entries in columns of one width, as many as fit, row by row.
double legendHeight(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width);
// Of the widest text that an entry can have.
double legendTextRoom(const FigureCanvas& canvas, double width);
void drawLegend(FigureCanvas& canvas, const QRectF& rect, const std::vector<LegendEntry>& entries);

// A line of bold text at the left of `line`, shortened where needed, and badges at its right end.
void drawHeading(FigureCanvas& canvas, const QRectF& line, const QString& text, const QStringList& badges,
                 TextSize size = TextSize::Normal);

} // namespace peakscope
