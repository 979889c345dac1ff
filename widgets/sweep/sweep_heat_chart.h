// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map of a sweep: a measure of every point over two keys, a map for each setting of the others. Of the view
// and of the figure; GUI thread.
#pragma once

#include "widgets/plot/grid_chart.h"
#include "widgets/sweep/sweep_style.h"

#include <QCoreApplication>

#include <memory>

namespace peakscope {

// What the maps of all settings share, so that they compare.
struct SweepHeat {
    std::shared_ptr<const SweepDocument> sweep;
    std::string measure;
    std::vector<SweepHeatMap> maps;
    SweepColorScale scale;
    AxisUnit unit; // of all numbers in cells

    SweepHeat(std::shared_ptr<const SweepDocument> document, const std::string& keyX, const std::string& keyY,
              std::string measured);
    std::vector<LegendEntry> legend(std::span<const SweepHeatMap> shown, const ChartColors& colors) const;
};

class SweepHeatChart : public GridChart
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::SweepHeatChart)

public:
    SweepHeatChart() = default;
    SweepHeatChart(std::shared_ptr<const SweepHeat> heat, std::size_t map) { show(std::move(heat), map); }

    // The map of that number, if there is one.
    void show(std::shared_ptr<const SweepHeat> heat, std::size_t map);
    const SweepHeatMap* map() const { return m_map; } // null: none
    // The sweep's point in a cell, and the other way round.
    std::optional<std::size_t> pointAt(std::optional<QPointF> place) const;
    std::optional<QPointF> placeOf(std::size_t point) const;

    AxisTicks x() const override;
    AxisTicks y() const override;
    std::vector<LegendEntry> legend(const ChartColors& colors) const override;
    QStringList caption(bool numbered) const override;
    QString readout(std::optional<QPointF> place) const override;
    QString summary() const override;
    Table table(const AxisArea& visible) const override; // of the whole sweep

protected:
    GridCell cell(GridPlace place, const ChartColors& colors) const override;

private:
    QString textOf(const SweepPoint& point) const;

    std::shared_ptr<const SweepHeat> m_heat;
    const SweepHeatMap* m_map = nullptr; // of m_heat
};

} // namespace peakscope
