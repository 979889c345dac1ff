// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of one run as small multiples: a memory timeline per rank over one time axis and one memory scale, beside
// each its peak, step time and share of communication, and in words which is fullest and which the others wait for.
// Up to eight are in sight at once, more scroll. Fed with core types, finished or growing; GUI thread.
#pragma once

#include "core/results/memory_timeline.h"
#include "core/results/rank_balance.h"
#include "widgets/plot/lane_plot.h"

#include <memory>
#include <vector>

class QCPAxisRect;

namespace peakscope {

class TimelineEdges;
struct RanksScene;

struct RankLane {
    std::size_t index = 0; // of its section
    RankFigures figures;   // as far as they are known
    QString like;          // the ranks that it stands for: "1-62"
    QString host;
    QString device;
    RunStatus status = RunStatus::Complete;
    QString message;                                // why it ended early, where it did
    std::shared_ptr<const MemoryTimeline> timeline; // null or without events: no record. May grow: see refresh
    std::vector<PhaseMark> phases;
};

// One lane per section that does not stand for another; `timelines` are those sections' indices, built here where they
// are not given.
std::vector<RankLane> rankLanes(const std::vector<RankSection>& ranks,
                                const std::vector<std::shared_ptr<const MemoryTimeline>>& timelines = {});
// "Peaks 12 % apart (largest / mean − 1) · …": how uneven the ranks are, and the share of communication.
QString balanceText(const RankBalance& balance);

class RanksView : public LanePlot
{
    Q_OBJECT
public:
    static constexpr int kMostInSight = 8;

    explicit RanksView(QWidget* parent = nullptr);
    ~RanksView() override;

    // A run's ranks, in rank order; shows their steps.
    void setRanks(std::vector<RankLane> lanes, const RankBalance& balance);
    // The same ranks have grown: the zoom stays, a view that showed all of the time goes on doing so.
    void refresh(std::vector<RankLane> lanes, const RankBalance& balance);

    // Ranks in sight: the first of them and how many, by their place.
    int firstInSight() const;
    int inSight() const;
    // The line above the lanes and the one under them.
    QString headline() const;
    QString readout() const;
    // The words beside a lane, one a line.
    QStringList factsOf(int lane) const;

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void scrollTo(int lane); // it becomes the first in sight, as far as there are more

signals:
    void rankActivated(int index); // of its section

protected:
    void applyTheme(const ChartTheme& theme) override;
    void updateReadout() override;
    void scrolled(std::size_t first) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildPlot();
    void buildFrame();
    void updateBounds();
    void showSteps();
    void showEdges();
    void updateRows();
    void updateFactsWidth();
    void updateTexts(); // but for the plot's own
    void showHeadline();
    bool scrollByKey(int key);
    int laneAt(double pixelY) const;

    std::unique_ptr<RanksScene> m_scene;
    QCPAxisRect* m_strip = nullptr; // steps and phases, above all lanes
    QCPAxisRect* m_facts = nullptr; // the words beside the lanes
    QLabel* m_headline = nullptr;
    QLabel* m_readout = nullptr;
    LegendStrip* m_legend = nullptr;
    TimelineEdges* m_edges = nullptr;
};

} // namespace peakscope
