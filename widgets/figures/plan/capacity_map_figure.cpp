// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// capacity_map: the verdict of every batch and sequence length with the predicted peak in each cell, the frontier as a
// line, and measured cells solid between the pale, hatched predicted ones.
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/plan/capacity_map_scene.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/note_words.h"

#include "core/results/tables.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {
namespace capacity_map_figure {
namespace {

constexpr TextSize kSize = TextSize::Small;

Status checkRun(const RunResult& run)
{
    return checkPlan(run, true);
}

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

// Cells no larger than what the median one needs are written in its unit: one unit for all of them.
AxisUnit cellUnit(const PlannedMap& map)
{
    std::vector<std::int64_t> bytes;
    for (const std::int64_t each : map.peakBytes) {
        if (each > 0)
            bytes.push_back(each);
    }
    if (bytes.empty())
        return byteUnit(1 << 30);
    std::nth_element(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end());
    return byteUnit(static_cast<double>(bytes[bytes.size() / 2]));
}

QString cellText(std::int64_t bytes, const AxisUnit& unit)
{
    const double value = static_cast<double>(bytes) / unit.scale;
    return QLocale().toString(value, 'f', value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const PlannedMap& map)
{
    std::array<bool, kVerdictCount> present{};
    bool impossible = false;
    for (std::size_t cell = 0; cell < map.verdicts.size(); ++cell) {
        if (map.possible(cell))
            present[static_cast<std::size_t>(map.verdicts[cell])] = true;
        else
            impossible = true;
    }
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < kVerdictCount; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (present[i])
            entries.push_back({verdictTitle(verdict), predictedFill(canvas, verdict), {}, {}});
    }
    if (!entries.empty())
        entries.push_back({frontierTitle(), {}, Dash::Solid, canvas.colors().warning});
    if (!map.measured.empty())
        entries.push_back({FigureText::tr("Measured"), Fill{canvas.colors().muted}, {}, {}});
    if (impossible)
        entries.push_back({beyondPositionsTitle(), {}, {}, {}});
    return entries;
}

Ticks axisTicks(const std::vector<std::int64_t>& values)
{
    Ticks ticks;
    for (const std::int64_t value : values) {
        ticks.values.push_back(std::log2(static_cast<double>(value)));
        ticks.labels << number(value);
    }
    return ticks;
}

QColor inkOn(const QColor& fill)
{
    const QColor dark(0x11, 0x11, 0x11);
    const QColor light(Qt::white);
    return contrastRatio(fill, dark) >= contrastRatio(fill, light) ? dark : light;
}

const MeasuredCell* measuredAt(const PlannedMap& map, std::size_t sequence, std::size_t batch)
{
    const auto found = std::find_if(map.measured.begin(), map.measured.end(), [&](const MeasuredCell& cell) {
        return cell.sequence == map.sequences[sequence] && cell.batch == map.batches[batch];
    });
    return found == map.measured.end() ? nullptr : &*found;
}

void drawCell(FigureCanvas& canvas, const QRectF& box, const PlannedMap& map, std::size_t sequence, std::size_t batch,
              const AxisUnit& unit)
{
    const std::size_t cell = map.cell(sequence, batch);
    const MeasuredCell* measured = measuredAt(map, sequence, batch);
    if (!map.possible(cell) && !measured) {
        canvas.text(box.center(), QStringLiteral("×"), Qt::AlignHCenter, {kSize, false, true});
        return;
    }
    const Fill fill = measured ? Fill{verdictFill(measured->verdict)} : predictedFill(canvas, map.verdicts[cell]);
    const double inset = canvas.hairline() / 2;
    canvas.area(box.adjusted(inset, inset, -inset, -inset), fill);
    if (measured)
        canvas.outline(box.adjusted(inset * 3, inset * 3, -inset * 3, -inset * 3), canvas.colors().text,
                       canvas.hairline() * 2);
    const QString text = cellText(measured ? measured->peakBytes : map.peakBytes[cell], unit);
    const TextStyle style{kSize, measured != nullptr, false, inkOn(fill.color)};
    const QRectF place = canvas.textBox(box.center(), text, Qt::AlignHCenter, style);
    const double pad = canvas.gap() * 0.4;
    if (place.width() + 2 * pad > box.width() || place.height() > box.height())
        return;
    canvas.rect(place.adjusted(-pad, 0, pad, 0), fill.color);
    canvas.text(box.center(), text, Qt::AlignHCenter, style);
}

void drawFrontier(FigureCanvas& canvas, const AxisArea& area, const std::vector<FrontierStep>& steps)
{
    QPolygonF line;
    const double thickness = canvas.hairline() * 3;
    const auto flush = [&] {
        if (line.size() > 1)
            canvas.polyline(line, canvas.colors().warning, thickness);
        line.clear();
    };
    double end = std::nan("");
    for (const FrontierStep& step : steps) {
        if (!std::isnan(end) && std::abs(end - step.left) > 1e-6)
            flush();
        line << QPointF(area.x(step.left), area.y(step.y)) << QPointF(area.x(step.right), area.y(step.y));
        end = step.right;
    }
    flush();
}

void drawMap(FigureCanvas& canvas, const AxisArea& area, const PlannedMap& map)
{
    const LogAxis sequences(map.sequences);
    const LogAxis batches(map.batches);
    const AxisUnit unit = cellUnit(map);
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        for (std::size_t b = 0; b < batches.size(); ++b) {
            const QRectF box(QPointF(area.x(sequences.lower(s)), area.y(batches.upper(b))),
                             QPointF(area.x(sequences.upper(s)), area.y(batches.lower(b))));
            drawCell(canvas, box, map, s, b, unit);
        }
    }
    drawFrontier(canvas, area, frontierSteps(map, sequences, batches));
    for (const MeasuredCell& cell : map.measured) {
        const double x = std::log2(static_cast<double>(cell.sequence));
        const double y = std::log2(static_cast<double>(cell.batch));
        if ((sequences.indexOf(cell.sequence) && batches.indexOf(cell.batch)) || x < area.xLow || x > area.xHigh ||
            y < area.yLow || y > area.yHigh)
            continue;
        // Between the cells' values: a framed square where it is.
        const double half = canvas.fontPt(kSize) * 0.4;
        const QRectF mark(area.x(x) - half, area.y(y) - half, 2 * half, 2 * half);
        canvas.rect(mark, verdictFill(cell.verdict));
        canvas.outline(mark, canvas.colors().text, canvas.hairline() * 2);
    }
}

QStringList captionOf(const PlanDocument& plan)
{
    QStringList parts = planCaption(plan);
    if (!plan.map->strategy.empty())
        parts << strategyTitleText(plan.map->strategy);
    const QString unit = cellUnit(*plan.map).name;
    parts << (plan.map->measured.empty()
                  ? FigureText::tr("numbers: peak in %1, predicted").arg(unit)
                  : FigureText::tr("numbers: peak in %1, predicted; measured where framed").arg(unit));
    return parts;
}

double blockHeight(const FigureCanvas& canvas, const RunResult& run, double width)
{
    const PlanDocument plan = figurePlan(run);
    if (!plan.map)
        return 0;
    const double rows = static_cast<double>(plan.map->batches.size()) * canvas.lineHeight(kSize) * 1.6;
    return captionHeight(canvas, captionOf(plan), width) + std::max(rows, canvas.lineHeight(kSize) * 8) +
           bottomAxisHeight(canvas, true) + canvas.gap() * 3 + legendHeight(canvas, legendOf(canvas, *plan.map), width);
}

void drawBlock(FigureCanvas& canvas, const QRectF& rect, const RunResult& run)
{
    const PlanDocument plan = figurePlan(run);
    if (!plan.map)
        return;
    const PlannedMap& map = *plan.map;
    const QStringList caption = captionOf(plan);
    drawCaption(canvas, rect, caption);
    const std::vector<LegendEntry> entries = legendOf(canvas, map);
    const double legend = legendHeight(canvas, entries, rect.width());
    const Ticks columns = axisTicks(map.sequences);
    const Ticks rows = axisTicks(map.batches);
    const LogAxis sequences(map.sequences);
    const LogAxis batches(map.batches);
    AxisArea area;
    area.rect = rect.adjusted(leftAxisWidth(canvas, rows, true), captionHeight(canvas, caption, rect.width()),
                              -canvas.hairline() * 2, -legend - canvas.gap() * 3 - bottomAxisHeight(canvas, true));
    area.xLow = sequences.first();
    area.xHigh = sequences.last();
    area.yLow = batches.first();
    area.yHigh = batches.last();
    drawMap(canvas, area, map);
    drawBottomAxis(canvas, area, columns, FigureText::tr("Sequence (tokens)"));
    drawLeftAxis(canvas, area, rows, FigureText::tr("Batch (rows)"));
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - legend, rect.width(), legend), entries);
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    constexpr double kLow = 0.5;
    return planBlocks(canvas, results, kLow, &blockHeight, &drawBlock);
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Table table = labelled(capacityTable(*figurePlan(*results[i]).map), labels[i]);
        all.columns = table.columns;
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    }
    return toCsv(all);
}

} // namespace
} // namespace capacity_map_figure

constinit const FigureKind kCapacityMapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Capacity map"),
                                              &capacity_map_figure::checkRun, &capacity_map_figure::csv,
                                              &capacity_map_figure::blocks};

} // namespace peakscope
