// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_columns.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr TextSize kColumnText = TextSize::Small;

double titleHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight() + canvas.gap();
}

double highest(const ColumnPanel& panel)
{
    double most = 0;
    for (const ColumnStack& column : panel.columns) {
        double sum = 0;
        for (const BarPart& part : column.parts)
            sum += part.value;
        most = std::max(most, sum);
    }
    return most > 0 ? most : panel.unit.scale;
}

void drawStacks(FigureCanvas& canvas, const AxisArea& area, const ColumnPanel& panel)
{
    // Half of the room between two places stays free, less where they are many.
    const double pitch = area.x(1) - area.x(0);
    const double width = std::min(pitch * (panel.columns.size() > 24 ? 0.85 : 0.7), canvas.fontPt(kColumnText) * 4);
    for (const ColumnStack& column : panel.columns) {
        const double left = area.x(static_cast<double>(column.position)) - width / 2;
        double sum = 0;
        for (const BarPart& part : column.parts) {
            const double bottom = area.y(sum);
            sum += part.value;
            canvas.area(QRectF(left, area.y(sum), width, bottom - area.y(sum)), part.fill);
        }
        if (sum > 0 && width > 2 * canvas.hairline())
            canvas.outline(QRectF(left, area.y(sum), width, area.y(0) - area.y(sum)), canvas.colors().axis,
                           canvas.hairline());
    }
}

} // namespace

double columnPanelHeight(const FigureCanvas& canvas, const ColumnPanel& panel, double width)
{
    return titleHeight(canvas) + canvas.lineHeight() * 7 + bottomAxisHeight(canvas, true) +
           legendHeight(canvas, panel.legend, width);
}

void drawColumnPanel(FigureCanvas& canvas, const QRectF& rect, const ColumnPanel& panel)
{
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), panel.title, {});
    if (panel.columns.empty())
        return;
    const double legend = legendHeight(canvas, panel.legend, rect.width());
    const double top = rect.top() + titleHeight(canvas);
    const double bottom = rect.bottom() - legend - bottomAxisHeight(canvas, true);
    const double high = highest(panel) * 1.05;
    const int count = std::clamp(static_cast<int>((bottom - top) / (canvas.lineHeight(kColumnText) * 1.4)), 2, 6);
    const Ticks yTicks = roundTicks(0, high, count, panel.unit);
    const double left = rect.left() + leftAxisWidth(canvas, yTicks, true);
    AxisArea area;
    area.rect = QRectF(left, top, rect.right() - left - canvas.gap(), bottom - top);
    area.xLow = static_cast<double>(panel.columns.front().position) - 0.6;
    area.xHigh = static_cast<double>(panel.columns.back().position) + 0.6;
    area.yHigh = high;
    const int xCount = std::max(2, static_cast<int>(area.rect.width() / (canvas.fontPt(kColumnText) * 2.5)));
    const Ticks xTicks = wholeTicks(panel.columns.front().position, panel.columns.back().position, xCount);
    drawHorizontalGrid(canvas, area, yTicks);
    drawStacks(canvas, area, panel);
    drawBottomAxis(canvas, area, xTicks, panel.xTitle);
    drawLeftAxis(canvas, area, yTicks, panel.yTitle);
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - legend, rect.width(), legend), panel.legend);
}

} // namespace peakscope
