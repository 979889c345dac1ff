// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What RanksView draws: the lanes in sight, the strip of phases above them and the words beside them. Private to the
// widgets; GUI thread.
#pragma once

#include "widgets/timeline/ranks_view.h"
#include "widgets/timeline/timeline_painter.h"

#include <QFont>
#include <QList>

#include <vector>

namespace peakscope {

// What a lane says beside itself.
struct RankFact {
    QString text;
    QString detail; // less loud, behind it
    QString mark;   // in a frame behind the text
    bool strong = false;
    bool warning = false;
};

struct RanksScene {
    static constexpr double kLaneGap = 6; // pixels between lanes

    std::vector<RankLane> lanes;
    std::vector<TimelineScene> scenes; // one a lane
    RankBalance balance;
    double topBytes = 1024; // of every lane
    std::size_t first = 0;  // in sight
    std::size_t rows = 1;
    ChartTheme theme;
    QFont font;
    QList<double> ticks; // y coordinates

    std::size_t end() const { return std::min(first + rows, lanes.size()); }
    // The place of a lane in sight within an axis rect, pixels; lanes share the height with equal gaps.
    QRectF rowArea(const QRectF& rect, std::size_t row) const
    {
        const double height = (rect.height() + kLaneGap) / static_cast<double>(rows);
        return {rect.left(), rect.top() + static_cast<double>(row) * height, rect.width(), height - kLaneGap};
    }
    bool isRecorded(std::size_t lane) const { return lanes[lane].timeline && lanes[lane].timeline->size() > 0; }
    std::vector<RankFact> facts(std::size_t lane) const;
    void paint(QPainter& painter, const PlotGeometry& geometry) const;
    void paintLane(QPainter& painter, const PlotGeometry& whole, std::size_t lane) const;
    void paintStrip(QPainter& painter, const PlotGeometry& geometry) const;
    void paintFacts(QPainter& painter, const PlotGeometry& geometry) const;
    void paintFact(QPainter& painter, const QRectF& line, const RankFact& fact) const;
    double widthOf(const RankFact& fact) const;
};

} // namespace peakscope
