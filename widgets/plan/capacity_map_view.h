// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which batch fits at which sequence length: a map of verdicts on logarithmic axes with the frontier as a line.
// Predicted cells are pale and hatched, measured ones solid. A cell can be walked to and chosen. GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/plot/plot_view.h"

#include <memory>
#include <optional>

class QLabel;

namespace peakscope {

class LegendStrip;
struct CapacityScene;

class CapacityMapView : public PlotView
{
    Q_OBJECT
public:
    explicit CapacityMapView(QWidget* parent = nullptr);
    ~CapacityMapView() override;

    void setMap(PlannedMap map, const PlannedDevice& device);
    void clear();
    const PlannedMap& map() const;

    // The cell under a point of the plot widget; nothing outside the map.
    std::optional<std::pair<std::int64_t, std::int64_t>> cellAt(QPointF point) const; // sequence, batch
    // The middle of a cell in the plot widget.
    QPointF cellCentre(std::int64_t sequence, std::int64_t batch) const;
    std::optional<std::pair<std::int64_t, std::int64_t>> currentCell() const;
    QString readout() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setCurrentCell(qint64 sequence, qint64 batch);

signals:
    void cellSelected(qint64 sequence, qint64 batch);
    void cellActivated(qint64 sequence, qint64 batch); // double click or Enter

protected:
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateLegend();
    void updateReadout();
    QString hint() const;
    bool moveCurrent(int sequences, int batches);
    bool handleKey(int key, Qt::KeyboardModifiers modifiers);

    std::unique_ptr<CapacityScene> m_scene;
    QLabel* m_readout = nullptr;
    LegendStrip* m_legend = nullptr;
};

} // namespace peakscope
