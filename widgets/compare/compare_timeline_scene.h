// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison of timelines draws: its lanes, where they lie, and their painting. Private to the view; GUI thread.
#pragma once

#include "widgets/compare/compare_timeline_view.h"
#include "widgets/look/theme.h"
#include "widgets/timeline/snapshot_marks.h"
#include "widgets/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QList>

#include <algorithm>

namespace peakscope {

struct CompareTimelineView::Scene {
    static constexpr double kLaneGap = 6;    // pixels between lanes
    static constexpr double kTitleFrom = 64; // pixels: titles of lower lanes stand over their plots
    static constexpr double kStripFrom = 96; // pixels: lower lanes have no strip of steps and phases

    std::vector<CompareLane> lanes;
    std::vector<TimelineScene> scenes; // one a lane
    std::size_t base = 0;
    bool overlay = false;
    std::size_t first = 0;           // lane in sight
    std::size_t mostRows = SIZE_MAX; // that are high enough to be read; lanes beyond them are scrolled to
    double topBytes = 1024;          // of every lane
    ChartTheme theme;
    QFont font;
    QList<double> ticks; // y coordinates

    static bool recordedWhole(const CompareLane& lane) { return lane.timeline && lane.timeline->size() > 0; }
    static bool drawn(const CompareLane& lane) { return recordedWhole(lane) || lane.course; }
    // All lanes that have a picture are snapshots without times.
    bool ordered() const
    {
        const auto timed = [](const CompareLane& lane) {
            return recordedWhole(lane) || (lane.course && lane.course->timed);
        };
        return std::any_of(lanes.begin(), lanes.end(), drawn) && std::none_of(lanes.begin(), lanes.end(), timed);
    }
    static std::int64_t peakOf(const CompareLane& lane)
    {
        if (!lane.course)
            return lane.timeline ? lane.timeline->peakBytes() : 0;
        std::int64_t peak = lane.peakBytes;
        for (std::size_t i = 0; i < lane.course->size(); ++i)
            peak = std::max({peak, lane.course->allocatedBytes[i],
                             snapshotBytes(*lane.course, SnapshotSeries::Maximum, i).value_or(0)});
        return peak;
    }
    std::size_t rows() const { return overlay ? 1 : std::clamp<std::size_t>(lanes.size(), 1, mostRows); }
    std::size_t rowOf(std::size_t lane) const { return lane - first; }
    // Of a low lane the title stands over the plot, which has all of the height then.
    double titleHeight(double row) const { return overlay || row < kTitleFrom ? 0 : QFontMetricsF(font).height() + 3; }
    double stripHeight(double row) const { return row < kStripFrom ? 0 : 2 * (QFontMetricsF(font).height() + 1); }
    // The plot area of a row within an axis rect, pixels.
    QRectF rowArea(const QRectF& rect, std::size_t row) const
    {
        const double height = rect.height() / static_cast<double>(rows());
        QRectF area(rect.left(), rect.top() + static_cast<double>(row) * height, rect.width(), height);
        const double head = titleHeight(height) + stripHeight(height);
        return area.adjusted(0, head, 0, row + 1 < rows() ? -kLaneGap : 0);
    }
    PlotGeometry rowGeometry(const PlotGeometry& whole, std::size_t row) const
    {
        PlotGeometry geometry = whole;
        geometry.rect = rowArea(whole.rect, row);
        geometry.y0 = 0;
        geometry.y1 = topBytes;
        return geometry;
    }
    void paint(QPainter& painter, const PlotGeometry& geometry) const;
    void paintLane(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    // The line of a lane's title, and whether all lanes in sight have room for their badges beside what is drawn there.
    QRectF titleLine(const PlotGeometry& whole, std::size_t lane) const;
    bool badgesFit(const PlotGeometry& whole) const;
    void paintTitle(QPainter& painter, const QRectF& line, std::size_t lane, bool badged) const;
    void paintLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    void paintCourseLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    // Where a lane's line is highest, and its words beside no mark or word of another.
    struct DrawnPeak {
        double x = 0;
        std::int64_t bytes = 0;
    };
    DrawnPeak drawnPeak(std::size_t lane) const;
    void paintPeaks(QPainter& painter, const PlotGeometry& geometry) const;
    void paintPeak(QPainter& painter, const PlotGeometry& geometry, std::size_t lane, std::vector<QRectF>& taken) const;
    void paintStrip(QPainter& painter, const PlotGeometry& geometry, double height, std::size_t lane) const;
};

} // namespace peakscope
