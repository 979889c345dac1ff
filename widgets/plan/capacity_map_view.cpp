// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/capacity_map_view.h"

#include "widgets/plan/capacity_chart.h"

namespace peakscope {

CapacityMapView::CapacityMapView(QWidget* parent)
    : ChartView([] { return tr("Capacity map"); }, std::make_unique<CapacityChart>(), parent),
      m_chart(static_cast<CapacityChart&>(chart()))
{
    explain(
        [] {
            return tr("A cell is a batch and a sequence length, coloured by whether the peak fits. The line is the "
                      "last that fits.");
        },
        "planning");
    connect(this, &ChartView::placeSelected, this, [this](QPointF place) {
        if (const auto values = m_chart.valuesAt(place))
            emit cellSelected(values->first, values->second);
    });
    connect(this, &ChartView::placeActivated, this, [this](QPointF place) {
        if (const auto values = m_chart.valuesAt(place))
            emit cellActivated(values->first, values->second);
    });
    clear();
}

void CapacityMapView::setMap(PlannedMap map, const PlannedDevice& device)
{
    const auto keep = currentCell();
    m_chart.setMap(std::move(map), device);
    setPlaceholder([none = m_chart.empty()] { return none ? tr("No capacity map for this strategy.") : QString(); });
    setCurrent(keep ? m_chart.placeOf(keep->first, keep->second) : std::nullopt);
    showChart();
}

void CapacityMapView::clear()
{
    m_chart.setMap({}, {});
    setPlaceholder([] { return tr("Shows which batch fits at which sequence length, once strategies are ranked."); });
    setCurrent(std::nullopt);
    showChart();
}

const PlannedMap& CapacityMapView::map() const
{
    return m_chart.map();
}

std::optional<std::pair<std::int64_t, std::int64_t>> CapacityMapView::cellAt(QPointF point) const
{
    return m_chart.valuesAt(placeAt(point));
}

QPointF CapacityMapView::cellCentre(std::int64_t sequence, std::int64_t batch) const
{
    return pointOf(m_chart.placeOf(sequence, batch).value_or(QPointF()));
}

std::optional<std::pair<std::int64_t, std::int64_t>> CapacityMapView::currentCell() const
{
    return m_chart.valuesAt(current());
}

void CapacityMapView::setCurrentCell(qint64 sequence, qint64 batch)
{
    setCurrent(m_chart.placeOf(sequence, batch));
}

} // namespace peakscope
