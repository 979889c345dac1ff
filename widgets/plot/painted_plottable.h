// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A plottable whose drawing is a function: keeps QCustomPlot's classes out of the painters. Private to the widgets; GUI
// thread.
#pragma once

#include <QRectF>

#include <functional>

class QCPAbstractPlottable;
class QCPAxis;
class QPainter;

namespace peakscope {

// Where plot coordinates lie on the painter.
struct PlotGeometry {
    QRectF rect;                           // of the axis rect, logical pixels
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1; // visible range; y0 is at the bottom unless `reversed`
    bool reversed = false;                 // y grows downward

    double xPixel(double x) const { return rect.left() + (x - x0) / (x1 - x0) * rect.width(); }
    double yPixel(double y) const
    {
        const double share = (y - y0) / (y1 - y0) * rect.height();
        return reversed ? rect.top() + share : rect.bottom() - share;
    }
};

using PlotPaintFunction = std::function<void(QPainter&, const PlotGeometry&)>;

// Adds it to the axes' plot, which owns it. The function is called with antialiasing off, clipped to the axis rect.
QCPAbstractPlottable* addPaintedPlottable(QCPAxis* xAxis, QCPAxis* yAxis, PlotPaintFunction paint);

} // namespace peakscope
