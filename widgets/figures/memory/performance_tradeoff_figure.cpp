// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// performance_tradeoff: peak memory against the time of a step, a marker a run, with the bound that no method can go
// below where it is known.
#include "widgets/compare/compare_style.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"

#include "core/analysis/comparison/run_comparison.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace performance_tradeoff_figure {
namespace {

constexpr double kLeastPlotLines = 14; // the plot's height in lines of text

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->peakBytes <= 0)
        return failed({}, "it holds no peak");
    if (!run.timing || !(run.timing->medianStepSeconds > 0))
        return failed({}, "it holds no step time");
    return Done{};
}

SharedFloor floorOf(const RunResults& results)
{
    std::vector<ComparedRun> runs;
    for (const auto& result : results)
        runs.push_back({result, nullptr});
    return memoryFloor(runs);
}

QString boundText(const SharedFloor& floor, std::size_t runs)
{
    const QString bytes = bytesText(static_cast<double>(floor.bytes));
    const auto letters = QString::fromStdString(lettersOf(floor, runs));
    return letters.isEmpty() ? FigureText::tr("bound: parameters, gradients and states, %1").arg(bytes)
                             : FigureText::tr("bound of %1: parameters, gradients and states, %2").arg(letters, bytes);
}

bool anyBusy(const RunResults& results)
{
    return std::any_of(results.begin(), results.end(), [](const auto& run) { return !timesBadge(*run).isEmpty(); });
}

double legendLines(const FigureCanvas& canvas, const RunResults& results)
{
    const std::size_t lines = results.size() + (floorOf(results).bytes > 0 ? 1 : 0) + (anyBusy(results) ? 1 : 0);
    return canvas.lineHeight(TextSize::Small) * static_cast<double>(lines);
}

double naturalHeight(const FigureCanvas& canvas, const RunResults& results, double)
{
    return canvas.lineHeight() * kLeastPlotLines + bottomAxisHeight(canvas, true) + canvas.gap() * 3 +
           legendLines(canvas, results);
}

AxisArea areaOf(const RunResults& results, const QRectF& rect)
{
    AxisArea area;
    area.rect = rect;
    area.xHigh = area.yHigh = 0;
    for (const auto& run : results) {
        area.xHigh = std::max(area.xHigh, run->timing->medianStepSeconds * 1.12);
        area.yHigh = std::max(area.yHigh, static_cast<double>(run->memory->peakBytes) * 1.12);
    }
    return area;
}

void drawFloor(FigureCanvas& canvas, const AxisArea& area, std::int64_t bytes)
{
    if (bytes <= 0)
        return;
    const double y = area.y(static_cast<double>(bytes));
    canvas.rect(QRectF(QPointF(area.rect.left(), y), area.rect.bottomRight()), canvas.colors().grid);
    canvas.line({area.rect.left(), y}, {area.rect.right(), y}, canvas.colors().muted, canvas.hairline() * 1.5,
                Dash::Dashed);
}

void drawRuns(FigureCanvas& canvas, const AxisArea& area, const RunResults& results)
{
    const double size = canvas.fontPt(TextSize::Small) * 0.85;
    std::vector<QRectF> taken;
    for (const auto& run : results) {
        const QPointF at(area.x(run->timing->medianStepSeconds), area.y(static_cast<double>(run->memory->peakBytes)));
        taken.push_back(QRectF(at - QPointF(size, size) / 2, QSizeF(size, size)));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        const QPointF at = taken[i].center();
        canvas.polygon(compareMarker(i, at, size), compareColor(i, canvas.colors().dark));
        if (results.size() == 1)
            continue;
        // The letter where no marker and no other letter stands: right, above, below, left.
        const QString letter = compareLetter(i);
        const double away = size * 0.75, line = canvas.lineHeight(TextSize::Small) * 0.75;
        const std::pair<QPointF, Qt::AlignmentFlag> places[] = {{at + QPointF(away, 0), Qt::AlignLeft},
                                                                {at - QPointF(0, line), Qt::AlignHCenter},
                                                                {at + QPointF(0, line), Qt::AlignHCenter},
                                                                {at - QPointF(away, 0), Qt::AlignRight}};
        const TextStyle style{TextSize::Small, true};
        const auto free = [&](const auto& place) {
            const QRectF box = canvas.textBox(place.first, letter, place.second, style);
            return area.rect.contains(box) && std::none_of(taken.begin(), taken.end(), [&box](const QRectF& other) {
                       return other.intersects(box);
                   });
        };
        const auto place = std::find_if(std::begin(places), std::end(places), free);
        const auto& chosen = place == std::end(places) ? places[0] : *place;
        if (place != std::end(places)) // runs that coincide share a place; the legend has their numbers
            taken.push_back(canvas.text(chosen.first, letter, chosen.second, style));
    }
}

void drawRunLegend(FigureCanvas& canvas, const QRectF& rect, const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    const double line = canvas.lineHeight(TextSize::Small), size = canvas.fontPt(TextSize::Small) * 0.8;
    double y = rect.top() + line / 2;
    const TextStyle small{TextSize::Small};
    const double left = rect.left() + size + canvas.gap() * 2;
    const auto nameOf = [&](std::size_t i) {
        return results.size() > 1 ? compareLetter(i) + QLatin1Char(' ') + labels[i] : labels[i];
    };
    double widest = 0; // the numbers stand in a column beside the names
    for (std::size_t i = 0; i < results.size(); ++i)
        widest = std::max(widest, canvas.width(nameOf(i), small));
    for (std::size_t i = 0; i < results.size(); ++i, y += line) {
        const RunResult& run = *results[i];
        canvas.polygon(compareMarker(i, {rect.left() + size / 2, y}, size), compareColor(i, canvas.colors().dark));
        QString numbers =
            FigureText::tr("%1 in %2", "memory in time")
                .arg(bytesText(static_cast<double>(run.memory->peakBytes)), secondsText(run.timing->medianStepSeconds));
        QStringList badges = results.size() > 1 ? runBadges(run) : QStringList();
        if (const QString busy = timesBadge(run); !busy.isEmpty())
            badges << busy;
        if (!badges.isEmpty())
            numbers += QStringLiteral(" (") + badges.join(QStringLiteral(", ")) + QLatin1Char(')');
        const double width = canvas.width(numbers, small);
        const double column = std::min(left + widest + canvas.gap() * 6, rect.right() - width);
        canvas.text({column, y}, numbers, Qt::AlignLeft, small);
        canvas.text({left, y}, canvas.elided(nameOf(i), column - left - canvas.gap() * 2, small), Qt::AlignLeft, small);
    }
    if (const SharedFloor floor = floorOf(results); floor.bytes > 0) {
        canvas.line({rect.left(), y}, {rect.left() + size, y}, canvas.colors().muted, canvas.hairline() * 1.5,
                    Dash::Dashed);
        canvas.text({left, y}, canvas.elided(boundText(floor, results.size()), rect.right() - left, small),
                    Qt::AlignLeft, small);
        y += line;
    }
    if (anyBusy(results)) {
        const QString note =
            FigureText::tr("busy machine: other work disturbed its times, which should not be compared");
        canvas.text({left, y}, canvas.elided(note, rect.right() - left, small), Qt::AlignLeft, small);
    }
}

void draw(FigureCanvas& canvas, const QRectF& body, const RunResults& results)
{
    const double legend = legendLines(canvas, results);
    AxisArea area = areaOf(results, {});
    const AxisUnit bytes = byteUnit(area.yHigh), time = timeUnit(area.xHigh);
    const double height = body.height() - legend - canvas.gap() * 3 - bottomAxisHeight(canvas, true);
    const Ticks yTicks =
        roundTicks(0, area.yHigh, std::max(2, static_cast<int>(height / canvas.lineHeight() / 2)), bytes);
    const double left = leftAxisWidth(canvas, yTicks, true);
    const double margin = canvas.width(QStringLiteral("0000"), {TextSize::Small}) / 2;
    area.rect =
        QRectF(body.left() + left, body.top() + canvas.gap(), body.width() - left - margin, height - canvas.gap());
    const int count = std::max(2, static_cast<int>(area.rect.width() / (canvas.fontPt(TextSize::Small) * 4)));
    const Ticks xTicks = roundTicks(0, area.xHigh, count, time);
    drawFloor(canvas, area, floorOf(results).bytes);
    drawHorizontalGrid(canvas, area, yTicks);
    drawVerticalGrid(canvas, area, xTicks);
    drawBottomAxis(canvas, area, xTicks, FigureText::tr("Time of a step (%1)").arg(time.name));
    drawLeftAxis(canvas, area, yTicks, FigureText::tr("Peak memory (%1)").arg(bytes.name));
    drawRuns(canvas, area, results);
    drawRunLegend(canvas, QRectF(body.left(), body.bottom() - legend, body.width(), legend), results);
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    const SharedFloor bound = floorOf(results);
    Table table;
    table.columns = {{"run", ""},
                     {"name", ""},
                     {"step_seconds", "seconds"},
                     {"peak_bytes", "bytes"},
                     {"step_times_first", ""},
                     {"peak_times_first", ""},
                     {"bound_bytes", "bytes"}};
    const auto peak = static_cast<double>(results.front()->memory->peakBytes);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const RunResult& run = *results[i];
        const auto ratio = ratioOfTimes(run, *results.front());
        const bool known = ratio && ratio->doubt != RatioDoubt::TooBusy;
        const double times = i == 0 ? 1.0 : known ? ratio->median : std::nan("");
        table.rows.push_back({comparisonLetter(i), labels[i].toStdString(), run.timing->medianStepSeconds,
                              run.memory->peakBytes, times, static_cast<double>(run.memory->peakBytes) / peak,
                              cellIf(std::count(bound.of.begin(), bound.of.end(), i) > 0, bound.bytes)});
    }
    return toCsv(table);
}

} // namespace
} // namespace performance_tradeoff_figure

constinit const FigureKind kPerformanceTradeoffFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory against time"),
                                                      &performance_tradeoff_figure::checkRun,
                                                      &performance_tradeoff_figure::csv,
                                                      nullptr,
                                                      &performance_tradeoff_figure::naturalHeight,
                                                      &performance_tradeoff_figure::draw,
                                                      nullptr,
                                                      kMostRuns,
                                                      2}; // one point shows nothing

} // namespace peakscope
