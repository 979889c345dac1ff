// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/painted_plottable.h"

#include <qcustomplot.h>

namespace peakscope {

namespace {

class PaintedPlottable : public QCPAbstractPlottable
{
public:
    PaintedPlottable(QCPAxis* xAxis, QCPAxis* yAxis, PlotPaintFunction paint)
        : QCPAbstractPlottable(xAxis, yAxis), m_paint(std::move(paint))
    {
        setSelectable(QCP::stNone);
        removeFromLegend();
    }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    // The views know their ranges; nothing here shall be used for rescaling.
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override
    {
        found = false;
        return {};
    }

    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override
    {
        found = false;
        return {};
    }

protected:
    void draw(QCPPainter* painter) override
    {
        const QCPAxis *x = mKeyAxis.data(), *y = mValueAxis.data();
        if (!x || !y)
            return;
        const QRect rect = x->axisRect()->rect();
        PlotGeometry geometry;
        geometry.rect = QRectF(rect);
        geometry.x0 = x->range().lower;
        geometry.x1 = x->range().upper;
        geometry.y0 = y->range().lower;
        geometry.y1 = y->range().upper;
        geometry.reversed = y->rangeReversed();
        painter->save();
        painter->setAntialiasing(false);
        m_paint(*painter, geometry);
        painter->restore();
    }

    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    PlotPaintFunction m_paint;
};

} // namespace

QCPAbstractPlottable* addPaintedPlottable(QCPAxis* xAxis, QCPAxis* yAxis, PlotPaintFunction paint)
{
    return new PaintedPlottable(xAxis, yAxis, std::move(paint)); // registers itself with the plot
}

} // namespace peakscope
