// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_heatmap: the peak of every point of a sweep over its two longest keys, a panel for each setting of the others;
// measured cells in colour, those over the budget hatched, predicted ones hollow.
#include "widgets/figures/memory/sweep_overview.h"
#include "widgets/figures/page/chart_panel.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/sweep/sweep_heat_chart.h"

#include <algorithm>
#include <memory>
#include <span>

namespace peakscope {
namespace memory_heatmap_figure {
namespace {

constexpr std::size_t kMostPanels = 12;

double mapHeight(const FigureCanvas& canvas, const SweepHeatChart& chart, bool titled)
{
    const double line = canvas.lineHeight(TextSize::Small);
    // The key's name stands upright beside the rows.
    const double name = canvas.width(chart.y().title) + canvas.gap();
    return (titled ? canvas.lineHeight() + canvas.gap() : 0) +
           chartHeight(canvas, std::max({static_cast<double>(chart.rows().size()) * line * 1.7, line * 3, name}));
}

QStringList captionOf(const SweepDocument& sweep, const SweepHeatChart& chart, std::size_t left, bool numbered)
{
    const auto finished = static_cast<qlonglong>(sweep.finished());
    const auto all = static_cast<qlonglong>(sweep.points.size());
    QStringList parts{finished < all ? FigureText::tr("%1 of %2 points so far").arg(finished).arg(all)
                                     : FigureText::tr("%1 points").arg(all)};
    parts << chart.caption(numbered);
    if (left > 0)
        parts << FigureText::tr("%1 more settings are not shown").arg(static_cast<qlonglong>(left));
    return parts;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.8;
    auto document = sweepOf(run);
    const auto sweep = std::make_shared<const SweepDocument>(document ? std::move(*document) : SweepDocument());
    const auto [x, y] = defaultSweepAxes(*sweep);
    const auto heat = std::make_shared<const SweepHeat>(sweep, x, y, "peak_bytes");
    const std::size_t shown = std::min(heat->maps.size(), kMostPanels);
    const bool titled = heat->maps.size() > 1;
    FigureBlock block;
    const auto captionIf = [&](bool numbered) {
        return captionOf(*sweep, SweepHeatChart(heat, 0), heat->maps.size() - shown, numbered);
    };
    const auto drawn = std::make_shared<NumbersDrawn>();
    block.above = captionPart(canvas, captionIf(true), captionIf(false), drawn);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto chart = std::make_shared<const SweepHeatChart>(heat, i);
        const QString setting = sweepSettingText(heat->maps[i].fixed);
        block.panels.push_back(
            {setting, [&canvas, chart, titled](double) { return mapHeight(canvas, *chart, titled); },
             [chart, titled, setting, drawn](FigureCanvas& target, QRectF rect, const QString& mark) {
                 if (titled) {
                     const double line = target.lineHeight();
                     drawHeading(target, {rect.left(), rect.top(), rect.width(), line}, mark + setting, {});
                     rect.setTop(rect.top() + line + target.gap());
                 }
                 drawn->all = drawChart(target, rect, *chart) && drawn->all;
             },
             kLow});
    }
    block.below = legendPart(canvas, heat->legend(std::span(heat->maps).first(shown), canvas.colors()));
    return block;
}

// Sweeps of other keys share one table: a column that one lacks is empty there.
std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all{"points", {{"sweep", ""}}, {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Table table = sweepPointsTable(sweepOf(*results[i]).value());
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
