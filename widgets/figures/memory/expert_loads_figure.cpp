// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// expert_loads: how many tokens each expert of a mixture had, as a multiple of an even share of its layer's.
#include "widgets/figures/page/chart_panel.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/timeline/expert_load_chart.h"

#include "core/results/experts/expert_section.h"
#include "core/results/tables.h"

#include <algorithm>
#include <memory>

namespace peakscope {
namespace expert_loads_figure {
namespace {

Status checkRun(const RunResult& run)
{
    return expertsOf(run).empty() ? Status(failed({}, "it holds no tokens of experts")) : Done{};
}

double mapHeight(const FigureCanvas& canvas, const ExpertLoadChart& chart)
{
    constexpr double kMostLines = 32; // beyond it rows are lower than a number
    const double line = canvas.lineHeight(TextSize::Small);
    return chartHeight(canvas, line * std::clamp(static_cast<double>(chart.rows().size()) * 1.6, 6.0, kMostLines));
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.5;
    const auto chart = std::make_shared<const ExpertLoadChart>(expertsOf(run));
    FigureBlock block;
    block.above = captionPart(canvas, chart->caption(true));
    block.panels.push_back(
        {QString(), [&canvas, chart](double) { return mapHeight(canvas, *chart); },
         [chart](FigureCanvas& target, const QRectF& rect, const QString&) { drawChart(target, rect, *chart); }, kLow});
    block.below = legendPart(canvas, chart->legend(canvas.colors()));
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all = expertLoadsTable({});
    all.columns.insert(all.columns.begin(), {"run", ""});
    for (std::size_t i = 0; i < results.size(); ++i) {
        for (std::vector<TableCell>& row : expertLoadsTable(expertsOf(*results[i])).rows) {
            row.insert(row.begin(), labels[i].toStdString());
            all.rows.push_back(std::move(row));
        }
    }
    return toCsv(all);
}

} // namespace
} // namespace expert_loads_figure

constinit const FigureKind kExpertLoadsFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Expert loads"),
                                              &expert_loads_figure::checkRun, &expert_loads_figure::csv,
                                              &eachRun<&expert_loads_figure::blockOf>};

} // namespace peakscope
