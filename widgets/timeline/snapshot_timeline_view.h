// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The snapshots of a run without a timeline over time, or in their order: what was allocated, reserved and the highest
// so far at each of them, its name above. Stands where a MemoryTimelineView would; GUI thread.
#pragma once

#include "core/results/sweeps/snapshot_course.h"
#include "widgets/plot/lane_plot.h"

#include <memory>

class QCPAxisRect;
class QLabel;

namespace peakscope {

class SnapshotTimelineView : public LanePlot
{
    Q_OBJECT
public:
    explicit SnapshotTimelineView(QWidget* parent = nullptr);
    ~SnapshotTimelineView() override;

    // `peakBytes`: the run's own, a line where it lies above all snapshots; 0: not known.
    void setCourse(SnapshotCourse course, std::int64_t peakBytes = 0);
    const SnapshotCourse& course() const;
    // The snapshot of a row of the table twin.
    void showSnapshot(std::size_t snapshot);
    // What stands under the plot: the snapshot nearest to the cursor, or the highest one.
    QString readout() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

signals:
    void snapshotActivated(int snapshot);

protected:
    void applyTheme(const ChartTheme& theme) override;
    void updateReadout() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Scene;
    void buildPlot();
    void updateBounds();
    void updateNames();
    void updateTexts();
    std::size_t current() const;

    std::unique_ptr<Scene> m_scene;
    QCPAxisRect* m_strip = nullptr; // the names
    QLabel* m_readout = nullptr;
    LegendStrip* m_legend = nullptr;
};

} // namespace peakscope
