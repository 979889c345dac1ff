// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines of several runs over one time axis: stacked under one another, each with its components, phases and steps,
// or overlaid as one line a run. All lanes have the same memory scale, so heights compare. Fed with timelines that are
// aligned already. GUI thread.
#pragma once

#include "core/results/memory_timeline.h"
#include "core/results/sweeps/snapshot_course.h"
#include "widgets/plot/lane_plot.h"
#include "widgets/timeline/timeline_text.h"

#include <memory>
#include <vector>

class QActionGroup;

namespace peakscope {

class TimelineEdges;

struct CompareLane {
    QString title;                                  // without its letter
    QString badge;                                  // "synthetic", "interrupted"; may be empty
    std::shared_ptr<const MemoryTimeline> timeline; // on the common axis
    std::shared_ptr<const SnapshotCourse> course;   // in its place, on the same axis; neither: `missing` stands there
    std::vector<PhaseMark> phases;                  // on the common axis
    std::int64_t peakBytes = 0;                     // the run's own, which may lie between the snapshots of a course
    std::int64_t predictedBytes = 0;
    bool predictionIsBound = false; // planned for at most
    std::int64_t budgetBytes = 0;
    QString missing;
};

class CompareTimelineView : public LanePlot
{
    Q_OBJECT
public:
    enum class Mode { Lanes, Overlay };

    explicit CompareTimelineView(QWidget* parent = nullptr);
    ~CompareTimelineView() override;

    // `base` is the lane that differences are taken against. The same timelines as before keep what is looked at.
    void setLanes(std::vector<CompareLane> lanes, std::size_t base);
    Mode mode() const { return m_mode; }
    // What the lanes' times are; seconds unless set.
    void setAxis(TimelineAxis axis);
    // Any of the lanes has a picture.
    bool showsAny() const;
    // What stands under the plot: every run at the cursor, or at its peak.
    QString readout() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setMode(CompareTimelineView::Mode mode);

signals:
    void laneActivated(int lane);

protected:
    void applyTheme(const ChartTheme& theme) override;
    void updateReadout() override;
    void scrolled(std::size_t first) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Scene;
    void updateBounds();
    void showSteps();
    void showEdges();
    void updateTexts(); // but for the plot's own
    void fitLanes();
    int laneAt(double pixelY) const;
    QString courseTsv() const;

    std::unique_ptr<Scene> m_scene;
    Mode m_mode = Mode::Lanes;
    TimelineAxis m_axis = TimelineAxis::Seconds;
    QActionGroup* m_modes = nullptr;
    LegendStrip* m_legend = nullptr;
    QLabel* m_readout = nullptr;
    TimelineEdges* m_edges = nullptr;
};

} // namespace peakscope
