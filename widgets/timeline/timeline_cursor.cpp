// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_cursor.h"

#include <qcustomplot.h>

namespace peakscope {

QCPItemStraightLine* makeCursorLine(QCustomPlot* plot)
{
    auto* line = new QCPItemStraightLine(plot);
    // The plot's first axis rect is the phase strip; the line belongs to the main one.
    for (QCPItemPosition* position : {line->point1, line->point2})
        position->setAxes(plot->xAxis, plot->yAxis);
    line->setClipAxisRect(plot->xAxis->axisRect());
    line->setLayer(QStringLiteral("overlay"));
    line->setVisible(false);
    line->setSelectable(false);
    line->setAntialiased(false);
    return line;
}

void placeCursorLine(QCPItemStraightLine* line, std::optional<double> time)
{
    line->setVisible(time.has_value());
    if (time) {
        line->point1->setCoords(*time, 0);
        line->point2->setCoords(*time, 1);
    }
}

} // namespace peakscope
