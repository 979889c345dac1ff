// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart is without window or page: axes, legend, drawing, table and words, for ChartView and the figures alike,
// so that both say the same. Places are points in the axes' coordinates. GUI thread.
#pragma once

#include "core/results/tables.h"
#include "widgets/plot/chart_canvas.h"
#include "widgets/plot/value_scale.h"

#include <QPointF>
#include <QStringList>

#include <optional>
#include <vector>

namespace peakscope {

struct AxisTicks {
    std::vector<AxisMark> marks;
    QString title;
};

class Chart
{
public:
    virtual ~Chart() = default;

    virtual bool empty() const = 0;
    virtual AxisArea range() const = 0; // all there is to see; of no rectangle
    virtual AxisTicks x() const = 0;
    virtual AxisTicks y() const = 0;
    virtual std::vector<LegendEntry> legend(const ChartColors& colors) const = 0;
    // What the drawn numbers are, or where they are read if there is no room for them.
    virtual QStringList caption(bool numbered) const = 0;
    // Whether all numbers have room in the area.
    virtual bool numbersFit(const ChartCanvas&, const AxisArea&) const { return true; }
    virtual void paint(ChartCanvas& canvas, const AxisArea& area) const = 0;
    virtual void mark(ChartCanvas& canvas, const AxisArea& area, QPointF place, const QColor& color,
                      double width) const = 0;
    // The thing under a place, by its middle.
    virtual std::optional<QPointF> snapped(QPointF place) const = 0;
    // The next thing in a direction (-1, 0 or 1 each way); the first from nowhere.
    virtual QPointF step(std::optional<QPointF> place, int dx, int dy) const = 0;
    virtual QString readout(std::optional<QPointF> place) const = 0; // for no place: what there is to see
    virtual QString summary() const = 0;
    virtual Table table(const AxisArea& visible) const = 0;
};

} // namespace peakscope
