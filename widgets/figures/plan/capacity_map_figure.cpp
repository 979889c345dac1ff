// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// capacity_map: the verdict of every batch and sequence length with the predicted peak in each cell, the frontier as a
// line, and measured cells solid between the pale, hatched predicted ones.
#include "widgets/figures/page/chart_panel.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/plan/capacity_chart.h"
#include "widgets/text/note_words.h"

#include "core/results/tables.h"

#include <algorithm>
#include <memory>

namespace peakscope {
namespace capacity_map_figure {
namespace {

Status checkRun(const RunResult& run)
{
    return checkPlan(run, true);
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.5;
    const PlanDocument plan = figurePlan(run);
    const auto chart = std::make_shared<const CapacityChart>(plan.map.value_or(PlannedMap()), plan.device);
    QStringList caption = planCaption(plan);
    if (!chart->map().strategy.empty())
        caption << strategyTitleText(chart->map().strategy);
    FigureBlock block;
    const auto drawn = std::make_shared<NumbersDrawn>();
    block.above = captionPart(canvas, caption + chart->caption(true), caption + chart->caption(false), drawn);
    block.panels.push_back({QString(),
                            [&canvas, chart](double) {
                                const double line = canvas.lineHeight(TextSize::Small);
                                return chartHeight(
                                    canvas, line * std::max(static_cast<double>(chart->rows().size()) * 1.6, 8.0));
                            },
                            [chart, drawn](FigureCanvas& target, const QRectF& rect, const QString&) {
                                drawn->all = drawChart(target, rect, *chart) && drawn->all;
                            },
                            kLow});
    block.below = legendPart(canvas, chart->legend(canvas.colors()));
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CapacityChart chart(*figurePlan(*results[i]).map, {});
        const Table table = labelled(chart.table(chart.range()), labels[i]);
        all.columns = table.columns;
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    }
    return toCsv(all);
}

} // namespace
} // namespace capacity_map_figure

constinit const FigureKind kCapacityMapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Capacity map"),
                                              &capacity_map_figure::checkRun, &capacity_map_figure::csv,
                                              &eachRun<&capacity_map_figure::blockOf>};

} // namespace peakscope
