// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/ranks_scene.h"

#include "core/base/units.h"
#include "widgets/text/bytes_text.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kDetailGap = 8; // pixels

QString shareText(double share)
{
    const double percent = share * 100;
    return RanksView::tr("%1 %").arg(QLocale().toString(percent, 'f', percent < 9.95 ? 1 : 0));
}

// How a rank ended, where it did so early.
QString endedText(RunStatus status)
{
    switch (status) {
    case RunStatus::Failed:
        return RanksView::tr("failed");
    case RunStatus::OverBudget:
        return RanksView::tr("over budget");
    case RunStatus::Interrupted:
        return RanksView::tr("interrupted");
    default:
        return {};
    }
}

} // namespace

std::vector<RankLane> rankLanes(const std::vector<RankSection>& ranks,
                                const std::vector<std::shared_ptr<const MemoryTimeline>>& timelines)
{
    const RankBalance balance = rankBalance(ranks);
    std::vector<RankLane> lanes;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankSection& section = ranks[i];
        if (section.sameAs)
            continue;
        RankLane lane;
        lane.index = i;
        lane.like = QString::fromStdString(ranksLike(ranks, section.rank));
        lane.figures = balance.ranks[i];
        lane.host = QString::fromStdString(section.host);
        lane.device = QString::fromStdString(section.device);
        lane.message = QString::fromStdString(section.message);
        lane.status = section.status;
        if (i < timelines.size() && timelines[i])
            lane.timeline = timelines[i];
        else if (section.memory)
            lane.timeline = std::make_shared<const MemoryTimeline>(section.memory->timeline);
        if (section.memory)
            lane.phases = section.memory->phases;
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

QString balanceText(const RankBalance& balance)
{
    QStringList uneven;
    if (balance.peakImbalance)
        uneven << RanksView::tr("peaks %1", "imbalance of").arg(shareText(*balance.peakImbalance));
    if (balance.timeImbalance)
        uneven << RanksView::tr("own step times %1", "imbalance of").arg(shareText(*balance.timeImbalance));
    QStringList parts;
    if (!uneven.isEmpty())
        parts << RanksView::tr("Imbalance: %1").arg(uneven.join(QStringLiteral(", ")));
    if (balance.communicationShare)
        parts << RanksView::tr("communication %1").arg(shareText(*balance.communicationShare));
    const auto rankOf = [&balance](std::size_t index) {
        return QLocale().toString(static_cast<qlonglong>(balance.ranks[index].rank));
    };
    if (balance.fullest)
        parts << RanksView::tr("fullest: rank %1").arg(rankOf(*balance.fullest));
    if (balance.slowest)
        parts << RanksView::tr("slowest without communication: rank %1").arg(rankOf(*balance.slowest));
    return parts.join(QStringLiteral("  ·  "));
}

std::vector<RankFact> RanksScene::facts(std::size_t index) const
{
    const RankLane& lane = lanes[index];
    std::vector<RankFact> lines;
    RankFact head;
    head.text = RanksView::tr("Rank %1").arg(QLocale().toString(static_cast<qlonglong>(lane.figures.rank)));
    head.strong = true;
    QStringList place{lane.host, lane.device};
    place.removeAll(QString());
    if (!lane.like.isEmpty())
        place.prepend(RanksView::tr("for %1 too").arg(lane.like));
    head.detail = place.join(QStringLiteral(", "));
    head.mark = endedText(lane.status);
    head.warning = !head.mark.isEmpty();
    lines.push_back(head);
    RankFact peak;
    peak.text = lane.figures.peakBytes ? RanksView::tr("Peak %1").arg(bytesText(*lane.figures.peakBytes))
                                       : RanksView::tr("No memory record");
    if (balance.fullest == lane.index)
        peak.mark = RanksView::tr("fullest");
    lines.push_back(peak);
    RankFact time;
    QStringList parts;
    if (lane.figures.stepSeconds)
        parts << RanksView::tr("Step %1").arg(QString::fromStdString(formatSeconds(*lane.figures.stepSeconds)));
    if (lane.figures.communicationShare)
        parts << RanksView::tr("communication %1").arg(shareText(*lane.figures.communicationShare));
    time.text = parts.join(QStringLiteral(", "));
    if (balance.slowest == lane.index)
        time.mark = RanksView::tr("slowest");
    if (!time.text.isEmpty())
        lines.push_back(time);
    return lines;
}

double RanksScene::widthOf(const RankFact& fact) const
{
    QFont bold = font;
    bold.setBold(fact.strong);
    const double mark = fact.mark.isEmpty() ? 0 : QFontMetricsF(font).horizontalAdvance(fact.mark) + 16;
    const double detail = fact.detail.isEmpty() ? 0 : QFontMetricsF(font).horizontalAdvance(fact.detail) + kDetailGap;
    return QFontMetricsF(bold).horizontalAdvance(fact.text) + detail + mark;
}

void RanksScene::paintFact(QPainter& painter, const QRectF& line, const RankFact& fact) const
{
    QFont used = font;
    used.setBold(fact.strong);
    const QFontMetricsF metrics(used);
    const double markWidth = fact.mark.isEmpty() ? 0 : QFontMetricsF(font).horizontalAdvance(fact.mark) + 10;
    const QString text = metrics.elidedText(fact.text, Qt::ElideMiddle, line.width() - markWidth - 6);
    painter.setFont(used);
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text);
    double right = line.left() + metrics.horizontalAdvance(text);
    if (!fact.detail.isEmpty()) {
        const QFontMetricsF plain(font);
        const QRectF rest(right + kDetailGap, line.top(), line.right() - markWidth - 6 - right - kDetailGap,
                          line.height());
        const QString detail = plain.elidedText(fact.detail, Qt::ElideMiddle, std::max(0.0, rest.width()));
        painter.setFont(font);
        painter.setPen(theme.mutedText);
        painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, detail);
        right = rest.left() + plain.horizontalAdvance(detail);
    }
    if (fact.mark.isEmpty())
        return;
    const QColor color = fact.warning ? theme.warning : theme.text;
    const QRectF frame(right + 6.5, line.top() + 0.5, markWidth, line.height() - 1);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(font);
    painter.drawText(frame, Qt::AlignCenter, fact.mark);
}

void RanksScene::paintFacts(QPainter& painter, const PlotGeometry& geometry) const
{
    const double height = QFontMetricsF(font).height() + 1;
    for (std::size_t lane = first; lane < end(); ++lane) {
        const QRectF area = rowArea(geometry.rect, lane - first);
        const std::vector<RankFact> lines = facts(lane);
        double top = area.top() + std::max(0.0, (area.height() - height * static_cast<double>(lines.size())) / 2);
        for (const RankFact& fact : lines) {
            paintFact(painter, QRectF(area.left(), top, area.width() - 2, height), fact);
            top += height;
        }
    }
}

void RanksScene::paintLane(QPainter& painter, const PlotGeometry& whole, std::size_t lane) const
{
    PlotGeometry geometry = whole;
    geometry.rect = rowArea(whole.rect, lane - first);
    geometry.y0 = 0;
    geometry.y1 = topBytes;
    const QRectF& area = geometry.rect;
    painter.save();
    painter.setClipRect(area.adjusted(0, 0, 0, 1), Qt::IntersectClip);
    if (!isRecorded(lane)) {
        painter.setPen(theme.mutedText);
        const QString why = lanes[lane].message.isEmpty() ? RanksView::tr("No memory record") : lanes[lane].message;
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, why);
    } else {
        const MemoryTimeline& timeline = *lanes[lane].timeline;
        paintPhaseTints(painter, geometry, scenes[lane]);
        paintByteGrid(painter, geometry, whole, ticks, theme);
        paintStack(painter, geometry, scenes[lane]);
        const QPointF peak(geometry.xPixel(timeline.peakSeconds()),
                           geometry.yPixel(static_cast<double>(timeline.peakBytes())));
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(theme.background, 1));
        painter.setBrush(theme.text);
        painter.drawPolygon(QPolygonF({peak + QPointF(0, -1), peak + QPointF(-4.5, -7.5), peak + QPointF(4.5, -7.5)}));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(area.left(), std::round(area.bottom())), QPointF(area.right(), std::round(area.bottom())));
    painter.restore();
}

void RanksScene::paint(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setFont(font);
    for (std::size_t lane = first; lane < end(); ++lane)
        paintLane(painter, geometry, lane);
}

// The ranks go through the phases together; those of the first lane in sight that has any stand above all.
void RanksScene::paintStrip(QPainter& painter, const PlotGeometry& geometry) const
{
    for (std::size_t lane = first; lane < end(); ++lane) {
        if (!scenes[lane].phases.empty()) {
            paintPhaseStrip(painter, geometry, scenes[lane]);
            return;
        }
    }
}

} // namespace peakscope
