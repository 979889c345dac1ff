// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// collectives: what a rank's collectives send, by phase and kind. Their payload is the same on every rank, so the
// first one that tells it stands for all.
#include "widgets/figures/page/chart_panel.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/timeline/collective_chart.h"

#include "core/results/tables.h"

#include <memory>

namespace peakscope {
namespace collectives_figure {
namespace {

Status checkRun(const RunResult& run)
{
    return rankWithCollectives(run) ? Status(Done{}) : failed({}, "it holds no collectives of ranks");
}

CollectiveChart chartOf(const RunResult& run)
{
    return {run, rankWithCollectives(run).value_or(0)};
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLines = 16, kLow = 0.5;
    const auto chart = std::make_shared<const CollectiveChart>(chartOf(run));
    const double height = chartHeight(canvas, kLines * canvas.lineHeight(TextSize::Small));
    FigureBlock block;
    block.above = captionPart(canvas, chart->caption(true));
    block.panels.push_back(
        {QString(), [height](double) { return height; },
         [chart](FigureCanvas& target, const QRectF& rect, const QString&) { drawChart(target, rect, *chart); }, kLow});
    block.below = legendPart(canvas, chart->legend(canvas.colors()));
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all = collectivesTable({});
    all.columns.insert(all.columns.begin(), {"run", ""});
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CollectiveChart chart = chartOf(*results[i]);
        for (std::vector<TableCell>& row : chart.table(chart.range()).rows) {
            row.insert(row.begin(), labels[i].toStdString());
            all.rows.push_back(std::move(row));
        }
    }
    return toCsv(all);
}

} // namespace
} // namespace collectives_figure

constinit const FigureKind kCollectivesFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Collectives"),
                                              &collectives_figure::checkRun, &collectives_figure::csv,
                                              &eachRun<&collectives_figure::blockOf>};

} // namespace peakscope
