// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The capacity map in the window: a cell can be walked to and chosen. GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/plot/chart_view.h"

#include <optional>
#include <utility>

namespace peakscope {

class CapacityChart;

class CapacityMapView : public ChartView
{
    Q_OBJECT
public:
    explicit CapacityMapView(QWidget* parent = nullptr);

    void setMap(PlannedMap map, const PlannedDevice& device);
    void clear();
    const PlannedMap& map() const;

    // The cell under a point of the plot widget; nothing outside the map.
    std::optional<std::pair<std::int64_t, std::int64_t>> cellAt(QPointF point) const; // sequence, batch
    // The middle of a cell in the plot widget.
    QPointF cellCentre(std::int64_t sequence, std::int64_t batch) const;
    std::optional<std::pair<std::int64_t, std::int64_t>> currentCell() const;

public slots:
    void setCurrentCell(qint64 sequence, qint64 batch);

signals:
    void cellSelected(qint64 sequence, qint64 batch);
    void cellActivated(qint64 sequence, qint64 batch); // double click or Enter

private:
    CapacityChart& m_chart;
};

} // namespace peakscope
