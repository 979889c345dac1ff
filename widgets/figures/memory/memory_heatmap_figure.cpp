// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_heatmap: the peak of every point of a sweep over its two longest keys, a panel for each setting of the others;
// measured cells in colour, those over the budget hatched, predicted ones hollow.
#include "widgets/figures/memory/sweep_overview.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/sweep/sweep_style.h"

#include "core/base/json/json_reader.h"

#include <QLocale>

#include <algorithm>
#include <array>

namespace peakscope {
namespace memory_heatmap_figure {
namespace {

constexpr TextSize kSize = TextSize::Small;
constexpr std::size_t kMostPanels = 12;
constexpr const char* kMeasure = "peak_bytes";

struct HeatBlock {
    SweepDocument sweep;
    std::vector<SweepHeatMap> maps;
    std::size_t left = 0; // panels that have no room
    SweepColorScale scale;
    AxisUnit unit;
};

HeatBlock heatOf(const RunResult& run)
{
    HeatBlock block;
    if (auto sweep = sweepOf(run))
        block.sweep = std::move(*sweep);
    const auto [x, y] = defaultSweepAxes(block.sweep);
    block.maps = sweepHeatMaps(block.sweep, x, y, kMeasure);
    if (block.maps.size() > kMostPanels) {
        block.left = block.maps.size() - kMostPanels;
        block.maps.resize(kMostPanels);
    }
    block.scale = sweepColorScale(block.maps, kMeasure);
    // One unit for all cells: that of the middle of the range.
    block.unit = byteUnit(block.scale.empty ? double(1 << 20) : std::sqrt(block.scale.low * block.scale.high));
    return block;
}

QString cellNumber(double bytes, const AxisUnit& unit)
{
    const double value = bytes / unit.scale;
    return QLocale().toString(value, 'f', value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

Ticks axisTicks(const std::vector<nlohmann::json>& values, const std::string& key)
{
    Ticks ticks;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ticks.values.push_back(static_cast<double>(i) + 0.5);
        ticks.labels << sweepValueText(values[i], key);
    }
    return ticks;
}

void drawCell(FigureCanvas& canvas, const QRectF& box, const SweepCell& cell, const HeatBlock& block)
{
    const SweepCellLook look = sweepCellLook(cell, block.scale, canvas.colors().background, canvas.colors().text);
    if (cell.state == SweepCellState::Missing)
        return;
    const double inset = canvas.hairline();
    const QRectF inside = box.adjusted(inset, inset, -inset, -inset);
    canvas.area(inside, Fill{look.fill, look.hatch, look.hatchColor});
    if (look.framed)
        canvas.outline(inside, canvas.colors().warning, canvas.hairline() * 2);
    if (look.dashed) {
        const std::array<QPointF, 5> corners{inside.topLeft(), inside.topRight(), inside.bottomRight(),
                                             inside.bottomLeft(), inside.topLeft()};
        for (std::size_t i = 0; i + 1 < corners.size(); ++i)
            canvas.line(corners[i], corners[i + 1], canvas.colors().muted, canvas.hairline(), Dash::Dashed);
    }
    QString text = look.mark;
    if (look.number && cell.value)
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + cellNumber(*cell.value, block.unit);
    const TextStyle style{kSize, cell.state == SweepCellState::Measured, false, look.ink};
    const QRectF place = canvas.textBox(box.center(), text, Qt::AlignHCenter, style);
    const double pad = canvas.gap() * 0.4;
    if (text.isEmpty() || place.width() + 2 * pad > box.width() || place.height() > box.height())
        return;
    if (look.hatch != Hatch::None)
        canvas.rect(place.adjusted(-pad, 0, pad, 0), look.fill);
    canvas.text(box.center(), text, Qt::AlignHCenter, style);
}

double mapHeight(const FigureCanvas& canvas, const SweepHeatMap& map, bool titled)
{
    const double rows = static_cast<double>(map.y.size()) * canvas.lineHeight(kSize) * 1.7;
    // The key's name stands upright beside the rows.
    const double name = map.keyY.empty() ? 0 : canvas.width(sweepKeyTitle(map.keyY)) + canvas.gap();
    return (titled ? canvas.lineHeight() + canvas.gap() : 0) + std::max({rows, canvas.lineHeight(kSize) * 3, name}) +
           bottomAxisHeight(canvas, true) + canvas.gap() * 2;
}

void drawMap(FigureCanvas& canvas, const QRectF& rect, const HeatBlock& block, std::size_t index, const QString& mark)
{
    const SweepHeatMap& map = block.maps[index];
    QRectF plot = rect;
    if (block.maps.size() > 1) {
        drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()),
                    mark + sweepSettingText(map.fixed), {});
        plot.setTop(rect.top() + canvas.lineHeight() + canvas.gap());
    }
    const Ticks columns = axisTicks(map.x, map.keyX), rows = axisTicks(map.y, map.keyY);
    AxisArea area;
    area.rect = plot.adjusted(leftAxisWidth(canvas, rows, !map.keyY.empty()), 0, -canvas.hairline() * 2,
                              -bottomAxisHeight(canvas, true) - canvas.gap());
    area.xHigh = static_cast<double>(map.x.size());
    area.yHigh = static_cast<double>(map.y.size());
    for (std::size_t row = 0; row < map.y.size(); ++row) {
        for (std::size_t column = 0; column < map.x.size(); ++column) {
            const auto x = static_cast<double>(column), y = static_cast<double>(row);
            const QRectF box(QPointF(area.x(x), area.y(y + 1)), QPointF(area.x(x + 1), area.y(y)));
            drawCell(canvas, box, map.at(column, row), block);
        }
    }
    drawBottomAxis(canvas, area, columns, sweepKeyTitle(map.keyX));
    drawLeftAxis(canvas, area, rows, map.keyY.empty() ? QString() : sweepKeyTitle(map.keyY));
}

QStringList captionOf(const HeatBlock& block)
{
    QStringList parts;
    if (const std::int64_t budget = lenient::integer(block.sweep.base, "budget_bytes"); budget > 0)
        parts << FigureText::tr("budget %1").arg(bytesText(static_cast<double>(budget)));
    const auto finished = static_cast<qlonglong>(block.sweep.finished());
    const auto all = static_cast<qlonglong>(block.sweep.points.size());
    parts << (finished < all ? FigureText::tr("%1 of %2 points so far").arg(finished).arg(all)
                             : FigureText::tr("%1 points").arg(all));
    parts << FigureText::tr("numbers: peak in %1").arg(block.unit.name);
    if (block.left > 0)
        parts << FigureText::tr("%1 more settings are not shown").arg(static_cast<qlonglong>(block.left));
    return parts;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const HeatBlock& block)
{
    const ChartColors& colors = canvas.colors();
    std::vector<LegendEntry> entries;
    for (const auto& [text, look] :
         sweepLegend(block.maps, block.scale, block.sweep.dry(), colors.background, colors.text)) {
        if (look.hatch == Hatch::None) { // its mark says all
            entries.push_back({text});
            continue;
        }
        entries.push_back({text, Fill{look.fill, look.hatch, look.hatchColor}});
        if (look.framed || look.dashed) {
            entries.back().dash = look.dashed ? Dash::Dashed : Dash::Solid;
            entries.back().lineColor = look.framed ? colors.warning : colors.muted;
        }
    }
    return entries;
}

double barHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kSize) + canvas.gap();
}

// The colours with the values at their ends, and what they stand for.
void drawColorBar(FigureCanvas& canvas, const QRectF& rect, const HeatBlock& block)
{
    if (block.scale.empty)
        return;
    const TextStyle style{kSize};
    const double middle = rect.center().y();
    const QString name = sweepMeasureTitle(kMeasure);
    const QString low = bytesText(block.scale.low), high = bytesText(block.scale.high);
    double left = rect.left();
    left += canvas.text(QPointF(left, middle), name, Qt::AlignLeft, style).width() + canvas.gap() * 2;
    left += canvas.text(QPointF(left, middle), low, Qt::AlignLeft, style).width() + canvas.gap();
    const double end = rect.right() - canvas.width(high, style) - canvas.gap();
    const double width = std::min(end - left, canvas.fontPt(TextSize::Normal) * 18);
    constexpr int kSteps = 96;
    const double height = canvas.capHeight(kSize) * 1.2;
    for (int i = 0; width > 0 && i < kSteps; ++i) {
        const double from = left + width * i / kSteps;
        // A sliver of overlap: viewers leave seams between neighbours otherwise.
        canvas.rect(QRectF(from, middle - height / 2, width / kSteps + (i + 1 < kSteps ? 0.3 : 0), height),
                    viridis((i + 0.5) / kSteps));
    }
    canvas.text(QPointF(left + std::max(0.0, width) + canvas.gap(), middle), high, Qt::AlignLeft, style);
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.8;
    const auto heat = std::make_shared<const HeatBlock>(heatOf(run));
    FigureBlock block;
    block.above = captionPart(canvas, captionOf(*heat));
    for (std::size_t i = 0; i < heat->maps.size(); ++i)
        block.panels.push_back(
            {sweepSettingText(heat->maps[i].fixed),
             [&canvas, heat, i](double) { return mapHeight(canvas, heat->maps[i], heat->maps.size() > 1); },
             [heat, i](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                 drawMap(target, rect, *heat, i, mark);
             },
             kLow});
    const std::vector<LegendEntry> entries = legendOf(canvas, *heat);
    block.below = BlockPart{[&canvas, entries](double width) {
                                return canvas.gap() * 2 + barHeight(canvas) + legendHeight(canvas, entries, width);
                            },
                            [heat, entries](FigureCanvas& target, const QRectF& rect) {
                                const double bar = target.gap() + barHeight(target);
                                drawColorBar(target, rect.adjusted(0, target.gap(), 0, bar - rect.height()), *heat);
                                drawLegend(target, rect.adjusted(0, bar + target.gap(), 0, 0), entries);
                            }};
    return block;
}

// Sweeps of other keys share one table: a column that one lacks is empty there.
std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all{"points", {{"sweep", ""}}, {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Table table = sweepPointsTable(heatOf(*results[i]).sweep);
        std::vector<std::size_t> places;
        for (const TableColumn& column : table.columns) {
            const auto same = [&column](const TableColumn& other) { return other.name == column.name; };
            const auto found = std::find_if(all.columns.begin(), all.columns.end(), same);
            places.push_back(static_cast<std::size_t>(found - all.columns.begin()));
            if (found == all.columns.end())
                all.columns.push_back(column);
        }
        for (const auto& row : table.rows) {
            all.rows.emplace_back(1, labels[i].toStdString());
            all.rows.back().resize(all.columns.size(), std::string());
            for (std::size_t c = 0; c < row.size(); ++c)
                all.rows.back()[places[c]] = row[c];
        }
    }
    for (auto& row : all.rows)
        row.resize(all.columns.size(), std::string());
    return toCsv(all);
}

} // namespace
} // namespace memory_heatmap_figure

constinit const FigureKind kMemoryHeatmapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory heat map"),
                                                &checkSweepPeaks, &memory_heatmap_figure::csv,
                                                &eachRun<&memory_heatmap_figure::blockOf>};

} // namespace peakscope
