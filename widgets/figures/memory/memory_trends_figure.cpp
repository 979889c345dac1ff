// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_trends: how the peak of a sweep grows with each of its numeric keys, a panel a key, and in a sentence whether
// that is linear, quadratic or hardly anything.
#include "widgets/figures/memory/growth_panel.h"
#include "widgets/figures/memory/sweep_overview.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/sweep/sweep_growth_words.h"
#include "widgets/sweep/sweep_style.h"

namespace peakscope {
namespace memory_trends_figure {
namespace {

constexpr const char* kMeasure = "peak_bytes";

Status checkSweep(const RunResult& run)
{
    if (const Status peaks = checkSweepPeaks(run); !peaks)
        return peaks;
    if (const auto sweep = sweepOf(run); !sweep || sweepGrowths(*sweep, kMeasure).empty())
        return failed({}, "no numeric key of the sweep has measured peaks at two values");
    return Done{};
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    FigureBlock block;
    if (const auto sweep = sweepOf(run)) {
        std::vector<SweepGrowth> growths = sweepGrowths(*sweep, kMeasure);
        QStringList ofTwo;
        for (const SweepGrowth& growth : growths) {
            if (growth.values == 2)
                ofTwo << sweepKeyTitle(growth.key);
        }
        const bool together = ofTwo.size() > 1; // said once, not in each panel
        if (together) {
            const BlockPart caption = captionPart(canvas, {twoValuesText(ofTwo)});
            block.above = BlockPart{[&canvas, caption](double width) { return caption.height(width) + canvas.gap(); },
                                    caption.draw};
        }
        for (SweepGrowth& growth : growths)
            block.panels.push_back(growthPanel(canvas, std::move(growth), !together));
    }
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table all{"trends",
              {{"sweep", ""}, {"key", ""}, {"setting", ""}, {"value", ""}, {kMeasure, "bytes"}, {"fit", "bytes"}},
              {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto sweep = sweepOf(*results[i]);
        if (!sweep)
            continue;
        for (const SweepGrowth& growth : sweepGrowths(*sweep, kMeasure)) {
            for (std::vector<TableCell>& row : growthTable(growth).rows) {
                row.insert(row.begin(), {labels[i].toStdString(), growth.key});
                all.rows.push_back(std::move(row));
            }
        }
    }
    return toCsv(all);
}

} // namespace
} // namespace memory_trends_figure

constinit const FigureKind kMemoryTrendsFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory trends"),
                                               &memory_trends_figure::checkSweep, &memory_trends_figure::csv,
                                               &eachRun<&memory_trends_figure::blockOf>};

} // namespace peakscope
