// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A chart in the window: the pointer and Ctrl+arrows are places of it, a click or a step chooses one, a double click or
// Enter opens it. GUI thread.
#pragma once

#include "widgets/plot/chart.h"
#include "widgets/plot/readout_plot.h"

#include <memory>

namespace peakscope {

class ChartView : public ReadoutPlot
{
    Q_OBJECT
public:
    std::optional<QPointF> current() const { return m_current; }
    void setCurrent(std::optional<QPointF> place);
    // The place under a point of the plot widget, and the other way round.
    std::optional<QPointF> placeAt(QPointF point) const;
    QPointF pointOf(QPointF place) const;

    QString summary() const override;
    QString visibleDataTsv() const override;

signals:
    void placeSelected(QPointF place);
    void placeActivated(QPointF place);

protected:
    ChartView(LanguageText title, std::unique_ptr<Chart> chart, QWidget* parent);

    Chart& chart() const { return *m_chart; }
    // Call after the chart's data changed.
    void showChart();

    std::optional<QPointF> snapped(QPointF place) const override;
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    void updateLegend() override;
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void sayAxes();

    std::unique_ptr<Chart> m_chart;
    std::optional<QPointF> m_current;
    AxisArea m_shown; // the chart's range, as last set
    mutable bool m_numbered = true; // as last painted
};

} // namespace peakscope
