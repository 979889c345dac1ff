// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which batch fits at which sequence length: a map of verdicts on logarithmic axes with the frontier as a line.
// Predicted cells are pale and hatched, measured ones solid. Of the view and of the figure; GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/plot/grid_chart.h"

#include <QCoreApplication>

namespace peakscope {

// Values at their base-2 logarithm, in cells that meet half-way between them.
GridAxis logAxis(const std::vector<std::int64_t>& values);

// The upper edges of what fits, one step a sequence, in axis coordinates.
struct FrontierStep {
    double left = 0, right = 0, y = 0;
};
std::vector<FrontierStep> frontierSteps(const PlannedMap& map, const GridAxis& sequences, const GridAxis& batches);

class CapacityChart : public GridChart
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::CapacityChart)

public:
    CapacityChart() = default;
    CapacityChart(PlannedMap map, const PlannedDevice& device) { setMap(std::move(map), device); }

    void setMap(PlannedMap map, const PlannedDevice& device);
    const PlannedMap& map() const { return m_map; }
    // Where a cell's middle is; nothing where the map has none.
    std::optional<QPointF> placeOf(std::int64_t sequence, std::int64_t batch) const;
    std::optional<std::pair<std::int64_t, std::int64_t>> valuesAt(std::optional<QPointF> place) const;

    AxisTicks x() const override { return {columns().marks(), tr("Sequence (tokens)")}; }
    AxisTicks y() const override { return {rows().marks(), tr("Batch (rows)")}; }
    std::vector<LegendEntry> legend(const ChartColors& colors) const override;
    QStringList caption(bool numbered) const override;
    void paint(ChartCanvas& canvas, const AxisArea& area) const override;
    QString readout(std::optional<QPointF> place) const override;
    QString summary() const override;
    Table table(const AxisArea& visible) const override;

protected:
    GridCell cell(GridPlace place, const ChartColors& colors) const override;

private:
    // The measurement that lies exactly on a cell; null for none.
    const MeasuredCell* measuredAt(GridPlace place) const;
    QString hint() const;
    void paintFrontier(ChartCanvas& canvas, const AxisArea& area) const;
    void paintBetweenCells(ChartCanvas& canvas, const AxisArea& area) const;

    PlannedMap m_map;
    PlannedDevice m_device;
    AxisUnit m_unit; // of all numbers in cells
};

} // namespace peakscope
