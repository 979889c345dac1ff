// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_memory: what a hessian_memory_analysis.json says that a Hessian of each model takes: all sums on a
// logarithmic axis, and for each model what those are made of that a linear axis can hold.
#include "widgets/curvature/hessian_memory_style.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/text/bytes_text.h"

namespace peakscope {
namespace hessian_memory_figure {
namespace {

Status checkRun(const RunResult& run)
{
    if (!run.other.contains("hessian_memory"))
        return failed({}, "it is no hessian_memory_analysis.json");
    const auto analysis = hessianAnalysisOf(run);
    if (!analysis)
        return failed({}, "its sizes cannot be read: " + analysis.error().message);
    if (hessianMemoryTable(*analysis).rows.empty())
        return failed({}, "no model of it has a strategy with its memory");
    return Done{};
}

BarPanel sumsPanel(const HessianAnalysis& analysis)
{
    const HessianByteScale scale = hessianByteScale(analysis);
    BarPanel panel;
    panel.title = FigureText::tr("Sums by strategy");
    panel.axisTitle = FigureText::tr("Memory (logarithmic)");
    panel.ticks = [scale](double low, double high, int count) { return ticksOf(scale.marks(low, high, count / 2)); };
    panel.namesAbove = true;
    for (const HessianAnalysisModel& model : analysis.models) {
        FigureBarRow row;
        row.name = QString::fromStdString(model.model);
        for (const HessianStrategy& strategy : hessianStrategies(model))
            row.bars.push_back({{{scale.place(strategy.total), componentFill(Component::Hessian)}},
                                FigureText::tr("%1, %2", "memory, strategy")
                                    .arg(largeBytesText(strategy.total), hessianStrategyTitle(strategy.kind)),
                                false});
        panel.rows.push_back(std::move(row));
    }
    return panel;
}

BarPanel partsPanel(const HessianAnalysisModel& model)
{
    const std::vector<HessianStrategy> strategies = hessianStrategies(model);
    const double most = hessianLinearMost(strategies);
    BarPanel panel;
    panel.title = FigureText::tr("%1: what the sums are of").arg(QString::fromStdString(model.model));
    double longest = 0;
    for (const HessianStrategy& strategy : strategies) {
        FigureBarRow row;
        row.name = hessianStrategyTitle(strategy.kind);
        FigureBar bar;
        bar.label = largeBytesText(strategy.total);
        if (strategy.total > most) {
            bar.label = FigureText::tr("%1, beyond this axis").arg(bar.label);
        } else {
            longest = std::max(longest, strategy.total);
            for (const HessianPart& part : hessianParts(strategy))
                bar.parts.push_back({part.bytes, componentFill(part.component)});
        }
        row.bars.push_back(std::move(bar));
        panel.rows.push_back(std::move(row));
    }
    panel.unit = byteUnit(longest);
    panel.axisTitle = FigureText::tr("Memory (%1)").arg(panel.unit.name);
    return panel;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    FigureBlock block;
    const auto analysis = hessianAnalysisOf(run);
    if (!analysis)
        return block;
    block.above = captionPart(
        canvas, {FigureText::tr("imported"), FigureText::tr("sums by a rule of thumb of the script, not measured")});
    addPanel(block.panels, canvas, sumsPanel(*analysis));
    bool anyParts = false;
    for (const HessianAnalysisModel& model : analysis->models) {
        for (const HessianStrategy& strategy : hessianStrategies(model))
            anyParts = anyParts || strategy.hasParts;
        addPanel(block.panels, canvas, partsPanel(model));
    }
    std::vector<LegendEntry> entries;
    for (const HessianPart& part : anyParts ? hessianPartWords() : std::vector<HessianPart>())
        entries.push_back({part.name, componentFill(part.component), {}, {}});
    block.below = legendPart(canvas, std::move(entries));
    block.packed = true; // the sums are as high as the panels of several models
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto analysis = hessianAnalysisOf(*results[i]);
        Table table = labelled(analysis ? hessianMemoryTable(*analysis) : Table(), labels[i]);
        all.columns = table.columns;
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    }
    return toCsv(all);
}

} // namespace
} // namespace hessian_memory_figure

constinit const FigureKind kHessianMemoryFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory of a Hessian"),
                                                &hessian_memory_figure::checkRun, &hessian_memory_figure::csv,
                                                &eachRun<&hessian_memory_figure::blockOf>};

} // namespace peakscope
