// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_timeline_scene.h"

#include "widgets/compare/compare_style.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/text/bytes_text.h"

#include <QPainter>

#include <cmath>

namespace peakscope {

// The part of the geometry in which a run has a record.
static std::optional<PlotGeometry> recorded(const PlotGeometry& geometry, const MemoryTimeline& timeline)
{
    const double begin = std::max(geometry.x0, timeline.startSeconds());
    const double end = std::min(geometry.x1, timeline.endSeconds());
    if (!(end > begin))
        return std::nullopt;
    PlotGeometry part = geometry;
    part.rect.setLeft(std::round(geometry.xPixel(begin)));
    part.rect.setRight(std::round(geometry.xPixel(end)));
    part.x0 = begin;
    part.x1 = end;
    return part.rect.width() >= 1 ? std::optional(part) : std::nullopt;
}

// How far from the left nothing of a course is drawn at the height of a title.
static double freeWidth(const PlotGeometry& geometry, const SnapshotCourse& course, const QRectF& line)
{
    constexpr double kMark = 5; // half of one, and air
    double free = line.right();
    for (const auto series : {SnapshotSeries::Allocated, SnapshotSeries::Reserved, SnapshotSeries::Maximum}) {
        std::optional<QPointF> before;
        for (std::size_t i = 0; i < course.size(); ++i) {
            const auto bytes = snapshotBytes(course, series, i);
            if (!bytes)
                continue;
            const QPointF at(geometry.xPixel(course.position[i]), geometry.yPixel(static_cast<double>(*bytes)));
            const double edge = line.bottom() + kMark;
            if (at.y() < edge) {
                const bool crosses = before && before->y() > edge;
                free = std::min(free, crosses ? before->x() + (at.x() - before->x()) * (before->y() - edge) /
                                                                  (before->y() - at.y())
                                              : at.x() - kMark);
            }
            before = at;
        }
    }
    return free - line.left();
}

QRectF CompareTimelineView::Scene::titleLine(const PlotGeometry& whole, std::size_t lane) const
{
    const double top =
        whole.rect.top() + static_cast<double>(rowOf(lane)) * whole.rect.height() / static_cast<double>(rows());
    return {whole.rect.left() + 2, top, whole.rect.width() - 4, QFontMetricsF(font).height() + 3};
}

bool CompareTimelineView::Scene::badgesFit(const PlotGeometry& whole) const
{
    QFont bold = font;
    bold.setBold(true);
    for (std::size_t lane = first; lane < std::min(first + rows(), lanes.size()); ++lane) {
        const CompareLane& content = lanes[lane];
        const PlotGeometry geometry = rowGeometry(whole, rowOf(lane));
        const QRectF line = titleLine(whole, lane);
        if (line.bottom() <= geometry.rect.top() || !drawn(content) || recordedWhole(content))
            continue;
        const double words = QFontMetricsF(bold).horizontalAdvance(compareLetter(lane)) + 16 +
                             QFontMetricsF(font).horizontalAdvance(content.title + content.badge);
        if (words > freeWidth(geometry, *content.course, line))
            return false;
    }
    return true;
}

void CompareTimelineView::Scene::paintTitle(QPainter& painter, const QRectF& line, std::size_t lane, bool badged) const
{
    QFont bold = font;
    bold.setBold(true);
    const QString letter = compareLetter(lane);
    painter.setFont(bold);
    const double width = QFontMetricsF(bold).horizontalAdvance(letter);
    const QFontMetricsF metrics(font);
    // The badge beside the title, for low lanes have both over their plots, which seldom are high at their begin.
    const QString& badge = lanes[lane].badge;
    const double badgeWidth = badge.isEmpty() || !badged ? 0 : metrics.horizontalAdvance(badge) + 10;
    const QString title = metrics.elidedText(lanes[lane].title, Qt::ElideMiddle, line.width() - width - 6 - badgeWidth);
    const double titleWidth = metrics.horizontalAdvance(title);
    QColor plate = theme.background;
    plate.setAlpha(190);
    painter.fillRect(QRectF(line.left(), line.top() + 1, width + 6 + titleWidth + badgeWidth + 2, metrics.height()),
                     plate);
    painter.setPen(compareColor(lane, theme.dark));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, letter);
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(line.adjusted(width + 6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, title);
    if (badgeWidth <= 0)
        return;
    painter.setPen(theme.warning);
    painter.drawText(line.adjusted(width + 16 + titleWidth, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, badge);
}

void CompareTimelineView::Scene::paintStrip(QPainter& painter, const PlotGeometry& geometry, double height,
                                            std::size_t lane) const
{
    if (lanes[lane].phases.empty() || height <= 0)
        return;
    PlotGeometry strip = geometry;
    strip.rect = QRectF(geometry.rect.left(), geometry.rect.top() - height, geometry.rect.width(), height);
    paintPhaseStrip(painter, strip, scenes[lane]);
}

void CompareTimelineView::Scene::paintLane(QPainter& painter, const PlotGeometry& whole, std::size_t lane) const
{
    const PlotGeometry geometry = rowGeometry(whole, rowOf(lane));
    const QRectF& area = geometry.rect;
    const CompareLane& content = lanes[lane];
    const double line = QFontMetricsF(font).height();
    // In lower ones names of lines would cover what they name, or the title.
    const bool named =
        titleHeight(whole.rect.height() / static_cast<double>(rows())) > 0 && area.height() >= 2.4 * line;
    if (!drawn(content)) {
        painter.setPen(theme.mutedText);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, content.missing);
    } else if (!recordedWhole(content)) {
        painter.save();
        painter.setClipRect(area, Qt::IntersectClip);
        paintByteGrid(painter, geometry, whole, ticks, theme);
        paintSnapshots(painter, geometry, {content.course.get(), theme, font});
        if (named)
            paintLimits(painter, geometry, scenes[lane]);
        painter.restore();
    } else {
        painter.save();
        painter.setClipRect(area, Qt::IntersectClip);
        paintPhaseTints(painter, geometry, scenes[lane]);
        paintByteGrid(painter, geometry, whole, ticks, theme);
        if (const auto part = recorded(geometry, *content.timeline))
            paintStack(painter, *part, scenes[lane]);
        if (named)
            paintLimits(painter, geometry, scenes[lane]);
        painter.restore();
        paintStrip(painter, geometry, stripHeight(whole.rect.height() / static_cast<double>(rows())), lane);
    }
    // Where badges stand in the way of marks none is painted: cards and the line of what to mind say the same.
    paintTitle(painter, titleLine(whole, lane), lane, badgesFit(whole));
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(area.left(), std::round(area.bottom())), QPointF(area.right(), std::round(area.bottom())));
}

void CompareTimelineView::Scene::paintLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const
{
    const CompareLane& content = lanes[lane];
    if (!recordedWhole(content)) {
        paintCourseLine(painter, geometry, lane);
        return;
    }
    const auto part = recorded(geometry, *content.timeline);
    if (!part)
        return;
    const int columns = std::max(2, static_cast<int>(part->rect.width()));
    QPolygonF line;
    double x = part->rect.left();
    for (const MemoryTimeline::Column& column : content.timeline->sample(part->x0, part->x1, columns)) {
        const double low = geometry.yPixel(static_cast<double>(column.minBytes));
        const double high = geometry.yPixel(static_cast<double>(column.totalBytes));
        // A column that moved is drawn from its lowest to its highest total.
        if (low - high > 1)
            line << QPointF(x, low);
        line << QPointF(x, high);
        x += 1;
    }
    const QColor color = compareColor(lane, theme.dark);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.5, comparePenStyle(lane)));
    painter.drawPolyline(line);
}

// Thin between the snapshots, with the run's own mark at each.
void CompareTimelineView::Scene::paintCourseLine(QPainter& painter, const PlotGeometry& geometry,
                                                 std::size_t lane) const
{
    if (!lanes[lane].course)
        return;
    const SnapshotCourse& course = *lanes[lane].course;
    const QColor color = compareColor(lane, theme.dark);
    QPolygonF line;
    for (std::size_t i = 0; i < course.size(); ++i)
        line << QPointF(geometry.xPixel(course.position[i]),
                        geometry.yPixel(static_cast<double>(course.allocatedBytes[i])));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1, comparePenStyle(lane)));
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    for (const QPointF& at : line)
        painter.drawPolygon(compareMarker(lane, at, 6));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

CompareTimelineView::Scene::DrawnPeak CompareTimelineView::Scene::drawnPeak(std::size_t lane) const
{
    const CompareLane& content = lanes[lane];
    if (recordedWhole(content))
        return {content.timeline->peakSeconds(), content.timeline->peakBytes()};
    const std::vector<std::int64_t>& bytes = content.course->allocatedBytes;
    const auto highest = std::max_element(bytes.begin(), bytes.end());
    return {content.course->position[static_cast<std::size_t>(highest - bytes.begin())], *highest};
}

void CompareTimelineView::Scene::paintPeaks(QPainter& painter, const PlotGeometry& geometry) const
{
    std::vector<QRectF> taken; // by marks and by words
    const auto takes = [&](double x, std::int64_t bytes) {
        QRectF mark(0, 0, 9, 9);
        mark.moveCenter({geometry.xPixel(x), geometry.yPixel(static_cast<double>(bytes))});
        taken.push_back(mark);
    };
    for (const CompareLane& lane : lanes) {
        for (std::size_t i = 0; !recordedWhole(lane) && lane.course && i < lane.course->size(); ++i)
            takes(lane.course->position[i], lane.course->allocatedBytes[i]);
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (drawn(lanes[lane]))
            takes(drawnPeak(lane).x, drawnPeak(lane).bytes);
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (drawn(lanes[lane]))
            paintPeak(painter, geometry, lane, taken);
    }
}

void CompareTimelineView::Scene::paintPeak(QPainter& painter, const PlotGeometry& geometry, std::size_t lane,
                                           std::vector<QRectF>& taken) const
{
    const DrawnPeak place = drawnPeak(lane);
    const QColor color = compareColor(lane, theme.dark);
    const QPointF peak(geometry.xPixel(place.x), geometry.yPixel(static_cast<double>(place.bytes)));
    if (!geometry.rect.adjusted(-1, -1, 1, 1).contains(peak))
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.background, 1));
    painter.setBrush(color);
    painter.drawPolygon(compareMarker(lane, peak, 9));
    painter.setRenderHint(QPainter::Antialiasing, false);
    // The highest snapshot is not the peak where more was held between two.
    const QString said = compareLetter(lane) + QLatin1Char(' ') + bytesText(place.bytes);
    const QString text =
        peakOf(lanes[lane]) > place.bytes ? CompareTimelineView::tr("%1 at a snapshot").arg(said) : said;
    const QFontMetricsF metrics(font);
    const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height());
    // Beside the mark or above others' words: where nothing stands yet.
    QRectF box(peak + QPointF(8, -4 - size.height()), size);
    bool found = false;
    for (int row = 0; row < 6 && !found; ++row) {
        for (const double left : {peak.x() + 8, peak.x() - 8 - size.width()}) {
            for (const double top : {peak.y() - 4 - size.height() * (row + 1), peak.y() + 4 + size.height() * row}) {
                const QRectF place(QPointF(left, top), size);
                const auto meets = [&place](const QRectF& other) { return other.intersects(place); };
                if (found || !geometry.rect.contains(place) || std::any_of(taken.begin(), taken.end(), meets))
                    continue;
                box = place;
                found = true;
            }
        }
    }
    if (box.right() > geometry.rect.right())
        box.moveRight(peak.x() - 8);
    box.moveTop(std::max(box.top(), geometry.rect.top()));
    taken.push_back(box);
    QColor plate = theme.background;
    plate.setAlpha(215);
    painter.fillRect(box, plate);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void CompareTimelineView::Scene::paint(QPainter& painter, const PlotGeometry& whole) const
{
    painter.setFont(font);
    for (std::size_t lane = first; !overlay && lane < std::min(first + rows(), lanes.size()); ++lane)
        paintLane(painter, whole, lane);
    if (!overlay || lanes.empty())
        return;
    const PlotGeometry geometry = rowGeometry(whole, 0);
    painter.save();
    painter.setClipRect(geometry.rect, Qt::IntersectClip);
    if (base < scenes.size())
        paintPhaseTints(painter, geometry, scenes[base]);
    painter.setPen(QPen(theme.grid, 1));
    for (const double tick : ticks) {
        const double y = std::round(whole.yPixel(tick));
        painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        paintLine(painter, geometry, lane);
    paintPeaks(painter, geometry);
    painter.restore();
    if (base < lanes.size())
        paintStrip(painter, geometry, stripHeight(whole.rect.height()), base);
}

} // namespace peakscope
