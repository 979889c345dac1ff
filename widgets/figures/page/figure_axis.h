// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Axes of the figures: round ticks, one unit for a whole axis, titles with the unit. Private to the figures.
#pragma once

#include "widgets/figures/page/figure_canvas.h"
#include "widgets/plot/value_scale.h"
#include "widgets/text/bytes_text.h"

#include <QStringList>

#include <cstdint>
#include <vector>

namespace peakscope {

struct Ticks {
    std::vector<double> values;
    QStringList labels;
};
// At most `count` + 1 round values (1, 2 or 5 times a power of ten of the unit) from `low` to `high`.
Ticks roundTicks(double low, double high, int count, const AxisUnit& unit);
// The same for counted things: whole numbers only.
Ticks wholeTicks(std::int64_t low, std::int64_t high, int count);

// Marks of a scale as the axes take them.
Ticks ticksOf(const std::vector<AxisMark>& marks);

// "12.3 MiB" and "1.24 s" as everywhere in the program; bytes that were added up as numbers.
QString bytesText(double bytes);
QString secondsText(double seconds);

// Space that the parts of an axis take beside the plot area, in points.
double bottomAxisHeight(const FigureCanvas& canvas, bool titled);
double leftAxisWidth(const FigureCanvas& canvas, const Ticks& ticks, bool titled);

// Lines across the area at the ticks: under the data.
void drawHorizontalGrid(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks);
void drawVerticalGrid(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks);
// Axis line, ticks, labels, title: over the data. Labels that would touch are left out.
// A title may have several wordings, kTitleWordings between them: the first that has room is written.
void drawBottomAxis(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks, const QString& title);
void drawLeftAxis(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks, const QString& title);

} // namespace peakscope
