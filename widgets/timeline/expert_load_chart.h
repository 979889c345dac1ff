// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts of a mixture a run's tokens went to: a row a layer, a column an expert, coloured by how many times an
// even share of the layer's tokens it had. Of the view and of the figure; GUI thread.
#pragma once

#include "core/results/experts/expert_section.h"
#include "widgets/plot/grid_chart.h"

#include <QCoreApplication>

namespace peakscope {

class ExpertLoadChart : public GridChart
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::ExpertLoadChart)

public:
    ExpertLoadChart() = default;
    explicit ExpertLoadChart(ExpertSection section) { setSection(std::move(section)); }

    void setSection(ExpertSection section);

    AxisTicks x() const override { return {columns().marks(), tr("Expert")}; }
    AxisTicks y() const override { return {rows().marks(), tr("Layer")}; }
    std::vector<LegendEntry> legend(const ChartColors& colors) const override;
    QStringList caption(bool numbered) const override;
    QString readout(std::optional<QPointF> place) const override;
    QString summary() const override;
    Table table(const AxisArea& visible) const override;

protected:
    GridCell cell(GridPlace place, const ChartColors& colors) const override;

private:
    // No number where there is no such expert, or the layer had no token.
    double timesEven(GridPlace place) const { return m_timesEven[place.row * columns().size() + place.column]; }
    QColor color(double times) const;
    QString fullestText() const;
    QString textOf(GridPlace place) const;

    ExpertSection m_section;
    std::vector<double> m_timesEven; // a row a layer
    GridPlace m_fullest;
    double m_top = 2; // of the colours
    qsizetype m_idle = 0;
};

} // namespace peakscope
