// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/plot/plot_mouse.h"

#include "widgets/plot/plot_view.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QMouseEvent>

namespace peakscope::test {

QPoint pixelAt(const PlotView& view, double x, double y)
{
    return QPointF(view.plot()->xAxis->coordToPixel(x), view.plot()->yAxis->coordToPixel(y)).toPoint();
}

void hover(PlotView& view, QPoint place)
{
    QMouseEvent event(QEvent::MouseMove, place, view.plot()->mapToGlobal(place), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QApplication::sendEvent(view.plot(), &event);
}

} // namespace peakscope::test
