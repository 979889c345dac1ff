// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_analysis_overview: one run or several at a glance: their peaks, the peak of each phase, the time of a step,
// and how the peak grows with the setting that was varied, or else what kinds of modules hold. A sweep:
// sweep_overview.h.
#include "widgets/compare/compare_style.h"
#include "widgets/figures/memory/growth_panel.h"
#include "widgets/figures/memory/sweep_overview.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"

#include "core/analysis/comparison/run_comparison.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace peakscope {
namespace memory_overview_figure {
namespace {

Status checkRun(const RunResult& run)
{
    if (run.kind == ResultKind::Sweep)
        return checkSweepPeaks(run);
    if (!run.memory || run.memory->peakBytes <= 0)
        return failed({}, "it holds no peak");
    return Done{};
}

RunComparison comparisonOf(const RunResults& results)
{
    std::vector<ComparedRun> runs;
    for (const auto& result : results)
        runs.push_back({result, std::make_shared<const MemoryTimeline>(result->memory->timeline)});
    return compareRuns(runs);
}

Fill runFill(const FigureCanvas& canvas, std::size_t run)
{
    // Hatches beside the colours: runs differ in grey as well.
    constexpr Hatch kHatches[] = {Hatch::None,    Hatch::Rising, Hatch::Horizontal, Hatch::Crossed,
                                  Hatch::Falling, Hatch::Dots,   Hatch::Vertical,   Hatch::Grid};
    const QColor color = compareColor(run, canvas.colors().dark);
    return {color, kHatches[run % std::size(kHatches)], color.lighter(170)};
}

QString lettered(const RunResults& results, std::size_t run, const QString& text)
{
    return results.size() > 1 ? compareLetter(run) + QLatin1Char(' ') + text : text;
}

BarPanel peaksPanel(const FigureCanvas& canvas, const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    BarPanel panel;
    panel.title = FigureText::tr("Peak memory");
    panel.namesAbove = !canvas.preset().fixedHeight || results.size() <= 4;
    double most = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto peak = static_cast<double>(results[i]->memory->peakBytes);
        most = std::max(most, peak);
        FigureBarRow row;
        row.name = lettered(results, i, labels[i]);
        if (results.size() > 1)
            row.badges = runBadges(*results[i]);
        row.bars.push_back({{{peak, runFill(canvas, i)}}, bytesText(peak), false});
        panel.rows.push_back(std::move(row));
    }
    panel.unit = byteUnit(most);
    panel.axisTitle = FigureText::tr("Memory (%1)").arg(panel.unit.name);
    return panel;
}

// What a panel is called where its bars are too thin for labels.
QString compactTitle(const RunResults& results, const QString& title)
{
    if (results.size() < 2)
        return {};
    return FigureText::tr("%1, runs A to %2 from above").arg(title, compareLetter(results.size() - 1));
}

// Rows of a comparison as bars, one a run; none where all are zero.
template <typename Name, typename Text>
void fillRows(const FigureCanvas& canvas, BarPanel& panel, const RunResults& results,
              const std::vector<ComparedRow>& rows, Name nameOf, Text textOf, double& most)
{
    for (const ComparedRow& compared : rows) {
        if (std::all_of(compared.values.begin(), compared.values.end(),
                        [](const auto& v) { return v.value_or(0) == 0; }))
            continue;
        FigureBarRow row;
        row.name = nameOf(compared.name);
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (const std::optional<double>& value = compared.values[i]) {
                most = std::max(most, *value);
                row.bars.push_back({{{*value, runFill(canvas, i)}}, lettered(results, i, textOf(*value)), false});
            } else {
                row.bars.push_back({{}, lettered(results, i, FigureText::tr("not measured")), false});
            }
        }
        panel.rows.push_back(std::move(row));
    }
}

BarPanel phasesPanel(const FigureCanvas& canvas, const RunResults& results, const RunComparison& comparison)
{
    BarPanel panel;
    const bool snapshots = std::any_of(results.begin(), results.end(), [](const auto& run) {
        return run->memory->timeline.size() == 0 && !run->memory->snapshots.empty();
    });
    panel.title = snapshots ? FigureText::tr("Phases, by their snapshots") : FigureText::tr("Peak of each phase");
    panel.compactTitle = compactTitle(results, panel.title);
    double most = 0;
    fillRows(
        canvas, panel, results, comparison.rows(ComparisonGroup::Phases),
        [](const std::string& name) {
            const auto phase = phaseFromName(name);
            return phase ? phaseTitle(*phase) : QString::fromStdString(name);
        },
        [](double bytes) { return bytesText(bytes); }, most);
    panel.unit = byteUnit(most);
    panel.axisTitle = FigureText::tr("Memory (%1)").arg(panel.unit.name);
    return panel;
}

BarPanel timesPanel(const FigureCanvas& canvas, const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    BarPanel panel;
    panel.title = FigureText::tr("Time of a step");
    panel.namesAbove = !canvas.preset().fixedHeight || results.size() <= 4;
    double most = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i]->timing || !(results[i]->timing->medianStepSeconds > 0))
            continue;
        const double seconds = results[i]->timing->medianStepSeconds;
        most = std::max(most, seconds);
        FigureBarRow row;
        row.name = lettered(results, i, labels[i]);
        row.bars.push_back({{{seconds, runFill(canvas, i)}}, secondsText(seconds), false});
        if (const QString busy = timesBadge(*results[i]); !busy.isEmpty())
            row.badges << busy;
        panel.rows.push_back(std::move(row));
    }
    panel.unit = timeUnit(most);
    panel.axisTitle = FigureText::tr("Time (%1)").arg(panel.unit.name);
    return panel;
}

BarPanel kindsPanel(const FigureCanvas& canvas, const RunResults& results, const RunComparison& comparison)
{
    BarPanel panel;
    panel.title = FigureText::tr("By kind of module");
    panel.compactTitle = compactTitle(results, panel.title);
    double most = 0;
    fillRows(
        canvas, panel, results, comparison.rows(ComparisonGroup::ModuleKinds),
        [](const std::string& name) {
            const auto kind = moduleKindFromName(name);
            return kind ? moduleKindTitle(*kind) : FigureText::tr("Other modules");
        },
        [](double bytes) { return bytesText(bytes); }, most);
    panel.unit = byteUnit(most);
    panel.axisTitle = FigureText::tr("Sum of the modules' maxima (%1)").arg(panel.unit.name);
    return panel;
}

// How the peak grows with the one setting in which the runs differ.
std::optional<SweepGrowth> peakGrowth(const RunComparison& comparison)
{
    for (const ScalingFit& fit : comparison.fits) {
        if (fit.quantity != "peak_bytes")
            continue;
        std::vector<std::pair<double, double>> points;
        for (std::size_t i = 0; i < fit.x.size(); ++i)
            points.emplace_back(fit.x[i], fit.y[i]);
        std::sort(points.begin(), points.end());
        GrowthLine line{{}, 0, fit.fit};
        for (const auto& [x, y] : points) {
            line.trend.x.push_back(x);
            line.trend.y.push_back(y);
        }
        return growthOf(fit.setting, fit.quantity, {std::move(line)});
    }
    return std::nullopt;
}

FigureBlock runsBlock(const FigureCanvas& canvas, const RunResults& results)
{
    const RunComparison comparison = comparisonOf(results);
    FigureBlock block;
    addPanel(block.panels, canvas, peaksPanel(canvas, results));
    addPanel(block.panels, canvas, phasesPanel(canvas, results, comparison));
    if (results.size() > 1) // a time alone shows nothing
        addPanel(block.panels, canvas, timesPanel(canvas, results));
    if (std::optional<SweepGrowth> growth = peakGrowth(comparison))
        block.panels.push_back(growthPanel(canvas, std::move(*growth)));
    else
        addPanel(block.panels, canvas, kindsPanel(canvas, results, comparison));
    if (const QStringList said = takeLonePanels(block.panels); !said.isEmpty())
        block.above = captionPart(canvas, said);
    return block;
}

// Runs share a block, a sweep has one of its own.
std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    RunResults runs, sweeps;
    for (const auto& result : results)
        (result->kind == ResultKind::Sweep ? sweeps : runs).push_back(result);
    std::vector<FigureBlock> all;
    if (!runs.empty())
        all.push_back(runsBlock(canvas, runs));
    for (FigureBlock& block : blocksOfRuns(sweeps, [&](const RunResult& run) { return sweepOverview(canvas, run); }))
        all.push_back(std::move(block));
    return all;
}

std::string runsCsv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    const RunComparison comparison = comparisonOf(results);
    Table table;
    table.columns = {{"panel", ""}, {"name", ""}, {"run", ""}, {"label", ""}, {"value", ""}, {"unit", ""}};
    for (const ComparisonGroup group :
         {ComparisonGroup::Totals, ComparisonGroup::Phases, ComparisonGroup::Times, ComparisonGroup::ModuleKinds}) {
        const std::string unit = group == ComparisonGroup::Times ? "seconds" : "bytes";
        for (const ComparedRow& row : comparison.rows(group)) {
            for (std::size_t i = 0; i < results.size(); ++i) {
                if (row.values[i])
                    table.rows.push_back({std::string(name(group)), row.name, comparisonLetter(i),
                                          labels[i].toStdString(), *row.values[i], unit});
            }
        }
    }
    for (const ScalingFit& fit : comparison.fits) {
        const std::pair<const char*, double> values[] = {{"exponent", fit.fit.exponent},
                                                         {"standard_error", fit.fit.standardError},
                                                         {"low_95", fit.fit.low},
                                                         {"high_95", fit.fit.high}};
        for (const auto& [what, value] : values)
            table.rows.push_back({std::string("growth"), fit.quantity + " over " + fit.setting, std::string(),
                                  std::string(what), value, std::string()});
    }
    return toCsv(table);
}

// Of sweeps their points; the numbers of runs in a form of their own.
std::string csv(const RunResults& results)
{
    RunResults runs;
    std::string text;
    for (const auto& result : results) {
        if (result->kind != ResultKind::Sweep)
            runs.push_back(result);
        else if (const auto sweep = sweepOf(*result))
            text += (text.empty() ? "" : "\n") + toCsv(sweepPointsTable(*sweep));
    }
    if (runs.empty())
        return text;
    return runsCsv(runs) + (text.empty() ? "" : "\n" + text);
}

} // namespace
} // namespace memory_overview_figure

constinit const FigureKind kMemoryOverviewFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory overview"),
                                                 &memory_overview_figure::checkRun,
                                                 &memory_overview_figure::csv,
                                                 &memory_overview_figure::blocks,
                                                 nullptr,
                                                 nullptr,
                                                 nullptr,
                                                 kMostBars};

} // namespace peakscope
