// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/memory/snapshot_panel.h"

#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/timeline/snapshot_marks.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr TextSize kSnapshotTextSize = TextSize::Small;
constexpr double kLongestSnapshotName = 9; // of a line, in sizes of the type

QColor snapshotInk(const FigureCanvas& canvas, SnapshotSeries series)
{
    return series == SnapshotSeries::Reserved ? canvas.colors().muted : canvas.colors().text;
}

Dash snapshotDash(SnapshotSeries series)
{
    return series == SnapshotSeries::Reserved ? Dash::Dashed : Dash::Solid;
}

double snapshotMarkSize(const FigureCanvas& canvas)
{
    return canvas.fontPt(kSnapshotTextSize) * 0.55;
}

void drawSnapshotSeries(FigureCanvas& canvas, const SnapshotPanel& panel, SnapshotSeries series, bool marks)
{
    const SnapshotCourse& course = *panel.course;
    const QColor color = snapshotInk(canvas, series);
    QPolygonF line;
    for (std::size_t i = 0; i < course.size(); ++i) {
        if (const auto bytes = snapshotBytes(course, series, i))
            line << QPointF(panel.area.x(course.position[i]), panel.area.y(static_cast<double>(*bytes)));
    }
    if (!marks) {
        canvas.polyline(line, color, canvas.hairline(), snapshotDash(series));
        return;
    }
    for (const QPointF& at : line)
        drawLegendMarker(canvas, {snapshotMarker(series, at, snapshotMarkSize(canvas)), color, isFilled(series)});
}

void drawSnapshotNames(FigureCanvas& canvas, const SnapshotPanel& panel)
{
    const SnapshotCourse& course = *panel.course;
    const AxisArea& area = panel.area;
    std::vector<double> x;
    for (const double position : course.position)
        x.push_back(area.x(position));
    const double room = panel.namesHeight - canvas.gap() * 2;
    const TextStyle style{kSnapshotTextSize, false, true};
    const double pitch = canvas.lineHeight(kSnapshotTextSize);
    const bool two = namedSnapshots(course, x, 2 * pitch).size() == course.size();
    for (const std::size_t snapshot : namedSnapshots(course, x, pitch)) {
        const QString name = QString::fromStdString(course.names[snapshot]);
        const bool split = two && canvas.width(name, style) > room;
        const QStringList lines = split ? snapshotNameLines(name) : QStringList{name};
        double across = x[snapshot] - pitch * static_cast<double>(lines.size() - 1) / 2;
        for (const QString& line : lines) {
            const QString text = canvas.elided(line, room, style);
            canvas.verticalText({across, area.rect.top() - canvas.gap() - canvas.width(text, style) / 2}, text, style);
            across += pitch;
        }
    }
}

// The budget and what was predicted; and the run's own peak, where it lies above all marks.
void drawSnapshotLevels(FigureCanvas& canvas, const SnapshotPanel& panel)
{
    std::vector<ReferenceLine> levels = referenceLines(*panel.run);
    std::erase_if(levels, [&panel](const ReferenceLine& level) {
        return level.bytes == panel.run->memory->peakReservedBytes && !panel.course->reservedBytes.empty();
    });
    if (panel.run->memory->peakBytes > panel.course->highestAllocatedBytes())
        levels.push_back({{}, panel.run->memory->peakBytes, Dash::Dotted, false});
    const AxisArea& area = panel.area;
    for (const ReferenceLine& level : levels) {
        if (static_cast<double>(level.bytes) > area.yHigh)
            continue;
        const double y = area.y(static_cast<double>(level.bytes));
        const QColor color = level.limit ? canvas.colors().warning : canvas.colors().text;
        canvas.line({area.rect.left(), y}, {area.rect.right(), y}, color, canvas.hairline() * 1.6, level.dash);
        const QString bytes = bytesText(static_cast<double>(level.bytes));
        canvas.text({area.rect.right() - canvas.gap(), y - canvas.lineHeight(kSnapshotTextSize) * 0.6},
                    level.name.isEmpty() ? FigureText::tr("peak %1").arg(bytes)
                                         : FigureText::tr("%1 %2", "budget 4.00 GiB").arg(level.name, bytes),
                    Qt::AlignRight, {kSnapshotTextSize, false, false, color});
    }
}

} // namespace

std::vector<LegendEntry> snapshotLegend(const FigureCanvas& canvas, const std::vector<SnapshotCourse>& courses)
{
    std::vector<SnapshotSeries> present;
    bool several = false;
    for (const SnapshotCourse& course : courses) {
        several = several || course.size() > 1;
        for (const SnapshotSeries series : snapshotSeries(course)) {
            if (course.size() > 0 && std::find(present.begin(), present.end(), series) == present.end())
                present.push_back(series);
        }
    }
    std::sort(present.begin(), present.end());
    std::vector<LegendEntry> entries;
    for (const SnapshotSeries series : present) {
        const LegendMarker marker{snapshotMarker(series, {}, snapshotMarkSize(canvas)), snapshotInk(canvas, series),
                                  isFilled(series)};
        const auto dash = series == SnapshotSeries::Maximum ? std::nullopt : std::optional(snapshotDash(series));
        entries.push_back({snapshotSeriesTitle(series), {}, dash, marker.color, marker});
    }
    if (several)
        entries.push_back({betweenSnapshotsText(), {}, Dash::Solid, canvas.colors().muted, {}});
    return entries;
}

double snapshotNamesHeight(const FigureCanvas& canvas, const SnapshotCourse& course)
{
    double longest = 0;
    for (const std::string& name : course.names)
        longest = std::max(longest, canvas.width(QString::fromStdString(name), {kSnapshotTextSize}));
    return std::min(longest, kLongestSnapshotName * canvas.fontPt(kSnapshotTextSize)) + canvas.gap() * 2.5;
}

void drawSnapshotPanel(FigureCanvas& canvas, const SnapshotPanel& panel)
{
    if (!(panel.area.rect.height() >= 1 && panel.area.rect.width() >= 1))
        return; // no room for a picture
    drawHorizontalGrid(canvas, panel.area, panel.yTicks);
    if (panel.namesHeight > 0)
        drawSnapshotNames(canvas, panel);
    drawSnapshotLevels(canvas, panel);
    for (const bool marks : {false, true}) {
        for (const SnapshotSeries series : snapshotSeriesDrawn(*panel.course)) {
            if (marks || series != SnapshotSeries::Maximum)
                drawSnapshotSeries(canvas, panel, series, marks);
        }
    }
    drawLeftAxis(canvas, panel.area, panel.yTicks, QString());
}

} // namespace peakscope
