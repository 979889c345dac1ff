// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plot/plot_view.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QMouseEvent>

namespace peakscope::test {

// The pixel of the plot where a place of its axes lies.
inline QPoint pixelAt(const PlotView& view, double x, double y)
{
    return QPointF(view.plot()->xAxis->coordToPixel(x), view.plot()->yAxis->coordToPixel(y)).toPoint();
}

// Without the system's pointer, which stays on a screen that may be smaller than the view.
inline void hover(PlotView& view, QPoint place)
{
    QMouseEvent event(QEvent::MouseMove, place, view.plot()->mapToGlobal(place), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QApplication::sendEvent(view.plot(), &event);
}

} // namespace peakscope::test
