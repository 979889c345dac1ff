// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/snapshot_marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace peakscope {

namespace {

constexpr double kSnapshotMarkSize = 7; // pixels, of a plot of a usual height

struct SnapshotText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::SnapshotText)
};

QPolygonF snapshotDisc(QPointF at, double size)
{
    constexpr int kCorners = 24;
    QPolygonF outline;
    for (int i = 0; i < kCorners; ++i) {
        const double angle = 2 * std::numbers::pi * i / kCorners;
        outline << at + QPointF(std::cos(angle), std::sin(angle)) * (size / 2);
    }
    return outline;
}

QColor snapshotColor(SnapshotSeries series, const ChartTheme& theme)
{
    return series == SnapshotSeries::Reserved ? theme.mutedText : theme.text;
}

Qt::PenStyle snapshotPen(SnapshotSeries series)
{
    return series == SnapshotSeries::Reserved ? Qt::DashLine : Qt::SolidLine;
}

} // namespace

std::vector<SnapshotSeries> snapshotSeries(const SnapshotCourse& course)
{
    std::vector<SnapshotSeries> series{SnapshotSeries::Allocated};
    if (!course.reservedBytes.empty())
        series.push_back(SnapshotSeries::Reserved);
    if (!course.maxAllocatedBytes.empty())
        series.push_back(SnapshotSeries::Maximum);
    return series;
}

std::vector<SnapshotSeries> snapshotSeriesDrawn(const SnapshotCourse& course)
{
    std::vector<SnapshotSeries> series = snapshotSeries(course);
    std::rotate(series.begin(), series.begin() + 1, series.end()); // what is allocated lies on top
    return series;
}

QStringList snapshotNameLines(const QString& name)
{
    qsizetype cut = 0;
    for (qsizetype i = 1; i < name.size(); ++i) {
        const bool end = name[i - 1] == QLatin1Char('_') || name[i - 1] == QLatin1Char(' ');
        if (end && std::abs(2 * i - name.size()) < std::abs(2 * cut - name.size()))
            cut = i;
    }
    return cut > 0 ? QStringList{name.left(cut), name.mid(cut)} : QStringList{name};
}

QString snapshotSeriesTitle(SnapshotSeries series)
{
    switch (series) {
    case SnapshotSeries::Allocated:
        return SnapshotText::tr("Allocated at a snapshot");
    case SnapshotSeries::Reserved:
        return SnapshotText::tr("Reserved at a snapshot");
    case SnapshotSeries::Maximum:
        return SnapshotText::tr("Highest allocated until then, as recorded");
    }
    return {};
}

QString betweenSnapshotsText()
{
    return SnapshotText::tr("Not measured between snapshots");
}

QString snapshotOrderTitle()
{
    return SnapshotText::tr("Snapshot, in order");
}

std::optional<std::int64_t> snapshotBytes(const SnapshotCourse& course, SnapshotSeries series, std::size_t snapshot)
{
    switch (series) {
    case SnapshotSeries::Allocated:
        return course.allocatedBytes[snapshot];
    case SnapshotSeries::Reserved:
        return course.reservedBytes.empty() ? std::nullopt : std::optional(course.reservedBytes[snapshot]);
    case SnapshotSeries::Maximum:
        return course.maxAllocatedBytes.empty() ? std::nullopt : course.maxAllocatedBytes[snapshot];
    }
    return std::nullopt;
}

QPolygonF snapshotMarker(SnapshotSeries series, QPointF at, double size)
{
    const double half = size / 2;
    switch (series) {
    case SnapshotSeries::Allocated:
        break;
    case SnapshotSeries::Reserved:
        return QPolygonF({at + QPointF(-half, -half), at + QPointF(half, -half), at + QPointF(half, half),
                          at + QPointF(-half, half)});
    case SnapshotSeries::Maximum:
        return QPolygonF({at, at + QPointF(-half * 1.2, -size * 1.1), at + QPointF(half * 1.2, -size * 1.1)});
    }
    return snapshotDisc(at, size);
}

bool isFilled(SnapshotSeries series)
{
    return series == SnapshotSeries::Allocated;
}

std::vector<std::size_t> namedSnapshots(const SnapshotCourse& course, const std::vector<double>& x, double apart)
{
    std::vector<std::size_t> order(course.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&course](std::size_t a, std::size_t b) {
        return course.allocatedBytes[a] > course.allocatedBytes[b];
    });
    std::vector<std::size_t> named;
    for (const std::size_t snapshot : order) {
        const bool free = std::none_of(named.begin(), named.end(),
                                       [&](std::size_t other) { return std::abs(x[other] - x[snapshot]) < apart; });
        if (free)
            named.push_back(snapshot);
    }
    std::sort(named.begin(), named.end());
    return named;
}

void paintSnapshots(QPainter& painter, const PlotGeometry& geometry, const SnapshotPicture& picture)
{
    const SnapshotCourse& course = *picture.course;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    const double size = std::clamp(geometry.rect.height() / 12, 3.0, kSnapshotMarkSize);
    if (picture.current && *picture.current < course.size()) {
        const double x = geometry.xPixel(course.position[*picture.current]);
        painter.setPen(QPen(picture.theme.accent, 1));
        painter.drawLine(QPointF(x, geometry.rect.top()), QPointF(x, geometry.rect.bottom()));
    }
    for (const bool lines : {true, false}) {
        for (const SnapshotSeries series : snapshotSeriesDrawn(course)) {
            if (lines && series == SnapshotSeries::Maximum)
                continue;
            const QColor color = snapshotColor(series, picture.theme);
            QPolygonF line;
            for (std::size_t i = 0; i < course.size(); ++i) {
                if (const auto bytes = snapshotBytes(course, series, i))
                    line << QPointF(geometry.xPixel(course.position[i]), geometry.yPixel(static_cast<double>(*bytes)));
            }
            if (lines) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(color, 1, snapshotPen(series)));
                painter.drawPolyline(line);
                continue;
            }
            painter.setPen(QPen(color, 1.2));
            painter.setBrush(isFilled(series) ? color : picture.theme.background);
            for (const QPointF& at : line)
                painter.drawPolygon(snapshotMarker(series, at, size));
        }
    }
    painter.restore();
}

std::vector<LegendStrip::Entry> snapshotEntries(const std::vector<SnapshotSeries>& series, bool several,
                                                const ChartTheme& theme)
{
    std::vector<LegendStrip::Entry> entries;
    for (const SnapshotSeries one : series) {
        const auto sign = [one, theme](QPainter& painter, const QRectF& box) {
            const QColor color = snapshotColor(one, theme);
            QPolygonF marker = snapshotMarker(one, box.center(), kSnapshotMarkSize);
            marker.translate(box.center() - marker.boundingRect().center());
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setPen(QPen(color, 1, snapshotPen(one)));
            if (one != SnapshotSeries::Maximum)
                painter.drawLine(QPointF(box.left() - 2, box.center().y()), QPointF(box.right() + 2, box.center().y()));
            painter.setPen(QPen(color, 1.2));
            painter.setBrush(isFilled(one) ? color : theme.background);
            painter.drawPolygon(marker);
        };
        entries.push_back({snapshotSeriesTitle(one), {}, Qt::NoPen, sign});
    }
    if (!entries.empty() && several) {
        entries.push_back({betweenSnapshotsText(), {}, Qt::NoPen, [theme](QPainter& painter, const QRectF& box) {
                               painter.setPen(QPen(theme.mutedText, 1));
                               const double y = std::round(box.center().y());
                               painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
                           }});
    }
    return entries;
}

void paintSnapshotNames(QPainter& painter, const PlotGeometry& strip, const SnapshotPicture& picture)
{
    const SnapshotCourse& course = *picture.course;
    const QFontMetricsF metrics(picture.font);
    std::vector<double> x;
    for (const double position : course.position)
        x.push_back(strip.xPixel(position));
    painter.save();
    painter.setFont(picture.font);
    const bool two = namedSnapshots(course, x, 2 * metrics.height()).size() == course.size();
    for (const std::size_t snapshot : namedSnapshots(course, x, metrics.height())) {
        if (x[snapshot] < strip.rect.left() - 1 || x[snapshot] > strip.rect.right() + 1)
            continue;
        const QString name = QString::fromStdString(course.names[snapshot]);
        const double room = strip.rect.height() - 4;
        const bool split = two && metrics.horizontalAdvance(name) > room;
        const QStringList lines = split ? snapshotNameLines(name) : QStringList{name};
        painter.setPen(picture.current == snapshot ? picture.theme.text : picture.theme.mutedText);
        painter.save();
        painter.translate(x[snapshot], strip.rect.bottom() - 2);
        painter.rotate(-90);
        double y =
            (metrics.ascent() - metrics.descent()) / 2 - metrics.height() * static_cast<double>(lines.size() - 1) / 2;
        for (const QString& line : lines) {
            painter.drawText(QPointF(0, y), metrics.elidedText(line, Qt::ElideMiddle, room));
            y += metrics.height();
        }
        painter.restore();
    }
    painter.restore();
}

} // namespace peakscope
