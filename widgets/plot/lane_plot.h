// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What plots of lanes over one time axis share: a cursor that follows the pointer, the whole height in sight at every
// zoom, a legend of the components in the lanes. Private to the widgets; GUI thread.
#pragma once

#include "core/results/memory_timeline.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_view.h"

#include <QRect>

#include <optional>
#include <vector>

class QCPItemStraightLine;
class QScrollBar;

namespace peakscope {

class RowScroll;

class LanePlot : public PlotView
{
    Q_OBJECT

public:
    using PlotView::PlotView;

    std::optional<double> cursor() const { return m_cursor; }

public slots:
    void setCursor(double seconds);
    void clearCursor();

signals:
    void cursorMoved(double seconds);

protected:
    int leastHeight() const override { return kLeastTimeline; }
    // Zooming in time only; the cursor's line; the bar of scrollLanes(), hidden. Once, after the plot's axis rects are
    // there.
    void buildLanes();
    // Of the components that any of the lanes holds.
    std::vector<LegendStrip::Entry> componentEntries(const std::vector<const MemoryTimeline*>& lanes) const;
    // Of the phases whose tints lie behind the lanes.
    std::vector<LegendStrip::Entry> phaseEntries(const std::vector<const std::vector<PhaseMark>*>& lanes) const;
    // Where only `inSight` of `count` lanes have room, a bar at the right end of `place` (the plot's pixels) scrolls to
    // the others: scrolled() says to which first one. Gives the one that is first now.
    std::size_t scrollLanes(std::size_t count, std::size_t inSight, const QRect& place);
    virtual void scrolled(std::size_t /*first*/) {}
    QScrollBar* scrollBar() const;
    // Moves the cursor as the pointer and Alt with the arrow keys ask; true: the event goes no further.
    bool moveCursor(QEvent* event);
    void applyTheme(const ChartTheme& theme) override;
    virtual void updateReadout() = 0;

private:
    std::optional<double> m_cursor;
    QCPItemStraightLine* m_cursorLine = nullptr;
    RowScroll* m_scroll = nullptr;
    bool m_settingView = false;
};

} // namespace peakscope
