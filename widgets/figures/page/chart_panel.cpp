// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/chart_panel.h"

#include "widgets/figures/page/figure_axis.h"

namespace peakscope {

double chartHeight(const FigureCanvas& canvas, double plot)
{
    return plot + bottomAxisHeight(canvas, true) + canvas.gap() * 2;
}

bool drawChart(FigureCanvas& canvas, const QRectF& rect, const Chart& chart)
{
    const AxisTicks x = chart.x(), y = chart.y();
    const Ticks columns = ticksOf(x.marks), rows = ticksOf(y.marks);
    AxisArea area = chart.range();
    area.rect = rect.adjusted(leftAxisWidth(canvas, rows, !y.title.isEmpty()), 0, -canvas.hairline() * 2,
                              -bottomAxisHeight(canvas, true) - canvas.gap());
    chart.paint(canvas, area);
    drawBottomAxis(canvas, area, columns, x.title);
    drawLeftAxis(canvas, area, rows, y.title);
    return chart.numbersFit(canvas, area);
}

} // namespace peakscope
