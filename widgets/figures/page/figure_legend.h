// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Legends (always outside the plot area), badges and panel headings of the figures. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_canvas.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace peakscope {

// A mark as the data has it.
struct LegendMarker {
    QPolygonF outline; // of a legend's around the origin
    QColor color;
    bool filled = true;
};
void drawLegendMarker(FigureCanvas& canvas, const LegendMarker& marker);

struct LegendEntry {
    QString text;
    std::optional<Fill> fill{}; // a swatch,
    std::optional<Dash> dash{}; // or a piece of line; both: a swatch with such a frame
    QColor lineColor{};
    std::optional<LegendMarker> marker{}; // on the line, or alone
};

// Entries in columns of one width, as many as fit, row by row.
double legendHeight(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width);
void drawLegend(FigureCanvas& canvas, const QRectF& rect, const std::vector<LegendEntry>& entries);

// A line of bold text at the left of `line`, shortened where needed, and badges at its right end.
void drawHeading(FigureCanvas& canvas, const QRectF& line, const QString& text, const QStringList& badges,
                 TextSize size = TextSize::Normal);

} // namespace peakscope
