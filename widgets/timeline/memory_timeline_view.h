// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The live memory timeline: components stacked over time with phases, steps, budget and peak, and a read-out of every
// component at the cursor. Fed with a finished MemoryTimeline or, while a run goes on, with batches of events; drawing
// costs the same however many events there are. GUI thread.
#pragma once

#include "core/results/component_reading.h"
#include "core/results/memory_timeline.h"
#include "widgets/plot/plot_view.h"
#include "widgets/timeline/timeline_text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QComboBox;
class QCPAxisRect;
class QCPItemStraightLine;
class QTimer;

namespace peakscope {

class TimelineEdges;
class TimelineLegend;
struct TimelineInstant;
struct TimelineScene;

class MemoryTimelineView : public PlotView
{
    Q_OBJECT
public:
    explicit MemoryTimelineView(QWidget* parent = nullptr);
    ~MemoryTimelineView() override;

    // Shows a finished run; null empties the view. Ends a live run. What is doubtful of its components is hatched.
    void setTimeline(std::shared_ptr<const MemoryTimeline> timeline, ComponentDoubt doubt = ComponentDoubt::None);
    // Goes to the steps of the finished run where what is around them would leave them little room. Once its phases are
    // set.
    void showSteps();
    // What its times are; seconds unless set.
    void setAxis(TimelineAxis axis);

    // Starts an empty timeline of its own that appendLive fills; follow is switched on. Phases, budget, reserved and
    // marks of an earlier run are dropped.
    void beginLive();
    // Batches of one length; redrawn at most 30 times a second.
    void appendLive(std::span<const double> timeSeconds, std::span<const std::int64_t> deltaBytes,
                    std::span<const Component> component);
    // The run is over: the data stay, following ends and, if the user had not zoomed, the whole run is shown, or its
    // steps where the last of them were.
    void endLive();
    bool isLive() const { return m_isLive; }

    // What is shown; null when empty.
    const MemoryTimeline* timeline() const;

    void setPhases(std::vector<PhaseMark> phases);
    void addPhase(const PhaseMark& phase); // while live; in order of time
    void setBudget(std::int64_t bytes);    // 0: none
    // The peak that was predicted before the run began, a dashed line; 0: none.
    // `bound`: the most that it was planned for.
    void setPrediction(std::int64_t peakBytes, bool bound = false);
    // What the allocator had taken from the device, a second, dashed line.
    void setReserved(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes);
    void appendReserved(double timeSeconds, std::int64_t bytes);
    std::pair<std::vector<double>, std::vector<std::int64_t>> reserved() const; // as given to setReserved
    // The part of the stack that is pointed out, drawn from the floor; empty: none.
    void setChosenPart(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes);
    // Lines across the plot with a word each.
    void setInstants(std::vector<TimelineInstant> instants);
    // Where the read-out stands while the pointer is elsewhere; nothing: at the peak.
    void setPinned(std::optional<double> timeSeconds);
    // Extra curves of the experiment's marks; they overlap the components.
    void setMarks(std::vector<MarkUsage> marks);

    // While live: show the end as it grows (all of the run, or the last `followSeconds`). Panning switches it off.
    bool follow() const { return m_follow; }
    void setFollowSeconds(double seconds);     // 0: all; kLastSteps: the last few steps
    void suggestFollowSeconds(double seconds); // until the user chooses

    // The read-out's position; nothing when the pointer is elsewhere.
    std::optional<double> cursor() const { return m_cursor; }
    std::optional<double> reference() const { return m_reference; }
    bool isComponentVisible(Component component) const;
    void setComponentVisible(Component component, bool visible);

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setFollow(bool follow);
    void setCursor(double timeSeconds);
    void clearCursor();
    void setReference(double timeSeconds);
    void clearReference();
    void goToPeak(); // cursor on the peak, view around it if it was not visible

signals:
    void cursorMoved(double timeSeconds);
    void instantChosen(double timeSeconds); // by a click
    void cursorLeft();
    void referenceChanged();
    void followChanged(bool follow);
    void componentToggled(peakscope::Component component, bool visible); // by the user

protected:
    int leastHeight() const override { return kLeastTimeline; }
    void applyTheme(const ChartTheme& theme) override;
    void viewMovedByUser() override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildPlot();
    void buildActions();
    void scheduleRefresh();
    void refresh(); // bounds, follow, legend, replot
    void updateBounds();
    void updateEdges();
    void updateReadout();
    void updateLegendPlacement();
    void updateCursorItems();
    void updateStrip();
    void startOver(const MemoryTimeline* timeline);

    std::shared_ptr<const MemoryTimeline> m_finished;
    std::unique_ptr<MemoryTimeline> m_live;
    TimelineAxis m_axis = TimelineAxis::Seconds;
    bool m_isLive = false;
    bool m_follow = false;
    double m_followSeconds = 0;
    bool m_ownFollow = false; // was chosen
    bool m_movingBySelf = false;
    std::unique_ptr<TimelineScene> m_scene;
    std::optional<double> m_pinned;
    TimelineEdges* m_edges = nullptr;
    TimelineLegend* m_legend = nullptr;
    bool m_legendMovedByUser = false;
    QCPAxisRect* m_strip = nullptr;
    QComboBox* m_followSpan = nullptr;
    QTimer* m_refreshTimer = nullptr;
    QAction* m_followAction = nullptr;
    QAction* m_legendAction = nullptr;
    QAction* m_peakAction = nullptr;
    QAction* m_referenceAction = nullptr;
    QCPItemStraightLine* m_cursorLine = nullptr;
    QCPItemStraightLine* m_referenceLine = nullptr;
    std::optional<double> m_cursor;
    std::optional<double> m_reference;
};

} // namespace peakscope
