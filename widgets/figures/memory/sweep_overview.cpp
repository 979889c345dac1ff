// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/memory/sweep_overview.h"

#include "widgets/figures/memory/growth_panel.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/sweep/least_peak.h"
#include "widgets/sweep/sweep_style.h"

#include "core/base/median.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

// Rows of a panel that can be read; of a page that cannot grow.
constexpr std::size_t kMostPoints = 24;
constexpr std::size_t kMostOnSlide = 8;

const QColor kPlain(0x4477AA);

struct Overview {
    SweepDocument sweep;
    std::vector<std::string> keys;
    std::vector<const SweepPoint*> points; // with a peak, the largest first, no more than are shown
    std::size_t measured = 0;
};

std::shared_ptr<const Overview> overviewOf(const RunResult& run, std::size_t most)
{
    const auto overview = std::make_shared<Overview>();
    if (auto sweep = sweepOf(run))
        overview->sweep = std::move(*sweep);
    overview->keys = sweepAxes(overview->sweep);
    for (SweepPoint& point : overview->sweep.points) {
        point.peakBytes = leastPeakBytes(overview->sweep, point);
        if (point.peakBytes)
            overview->points.push_back(&point);
    }
    overview->measured = overview->points.size();
    std::stable_sort(overview->points.begin(), overview->points.end(),
                     [](const SweepPoint* a, const SweepPoint* b) { return *a->peakBytes > *b->peakBytes; });
    overview->points.resize(std::min(overview->points.size(), most));
    return overview;
}

// "64 / 2 / ghost": the keys are said once, in the caption.
QString nameOf(const Overview& overview, const SweepPoint& point)
{
    return sweepValuesText(sweepVaried(point, overview.keys));
}

std::set<Component> componentsOf(const Overview& overview)
{
    std::set<Component> present;
    for (const SweepPoint* point : overview.points) {
        if (point->state() != SweepCellState::Measured)
            continue;
        for (const auto& [word, bytes] : point->components) {
            if (const auto component = componentFromName(word); component && bytes > 0)
                present.insert(*component);
        }
    }
    return present;
}

// As a heat map's cell of a point that did not end well: its bar is no peak but the least that it takes.
SweepCellLook lookOf(const FigureCanvas& canvas, SweepCellState state)
{
    return sweepCellLook({state, {}, 0}, {}, canvas.colors().background, canvas.colors().text);
}

Fill fillOf(const SweepCellLook& look)
{
    return {look.fill, look.hatch, look.hatchColor};
}

BarPanel peaksPanel(const FigureCanvas& canvas, const Overview& overview)
{
    BarPanel panel;
    panel.title = FigureText::tr("Peak memory");
    panel.unit = byteUnit(static_cast<double>(overview.points.empty() ? 0 : *overview.points.front()->peakBytes));
    panel.axisTitle = FigureText::tr("Memory (%1)").arg(panel.unit.name);
    for (const SweepPoint* point : overview.points) {
        const auto peak = static_cast<double>(*point->peakBytes);
        FigureBar bar;
        const bool measured = point->state() == SweepCellState::Measured;
        const SweepCellLook look = lookOf(canvas, point->state());
        if (!measured)
            bar.parts.push_back({peak, fillOf(look)});
        for (std::size_t i = 0; measured && i < kComponentCount; ++i) {
            const auto component = static_cast<Component>(i);
            const auto found = point->components.find(std::string(name(component)));
            if (found != point->components.end() && found->second > 0)
                bar.parts.push_back({static_cast<double>(found->second), componentFill(component)});
        }
        if (bar.parts.empty())
            bar.parts.push_back({peak, {kPlain}});
        bar.label = measured ? bytesText(peak) : look.mark + QLatin1Char(' ') + bytesText(peak);
        panel.rows.push_back({nameOf(overview, *point), {}, {std::move(bar)}});
    }
    return panel;
}

BarPanel timesPanel(const Overview& overview)
{
    BarPanel panel;
    panel.title = FigureText::tr("Time of a step");
    double most = 0;
    for (const SweepPoint* point : overview.points) {
        if (!point->medianStepSeconds || !(*point->medianStepSeconds > 0))
            continue;
        most = std::max(most, *point->medianStepSeconds);
        FigureBarRow row{nameOf(overview, *point), {}, {}};
        row.bars.push_back({{{*point->medianStepSeconds, {kPlain}}}, secondsText(*point->medianStepSeconds), false});
        panel.rows.push_back(std::move(row));
    }
    panel.unit = timeUnit(most);
    panel.axisTitle = FigureText::tr("Time (%1)").arg(panel.unit.name);
    return panel;
}

// The median over all points that have the value: what choosing it does on the whole.
BarPanel valuesPanel(const Overview& overview)
{
    BarPanel panel;
    panel.title = FigureText::tr("Median peak at each value");
    double most = 0;
    for (const std::string& key : overview.keys) {
        std::vector<nlohmann::json> values;
        for (const SweepPoint& point : overview.sweep.points) {
            const auto value = point.values.find(key);
            if (value != point.values.end() && std::find(values.begin(), values.end(), *value) == values.end())
                values.push_back(*value);
        }
        for (const nlohmann::json& value : values) {
            std::vector<double> peaks;
            for (const SweepPoint& point : overview.sweep.points) {
                const auto own = point.values.find(key);
                if (own != point.values.end() && *own == value && point.state() == SweepCellState::Measured)
                    peaks.push_back(static_cast<double>(point.peakBytes.value_or(0)));
            }
            if (peaks.empty())
                continue;
            const double middle = medianOf(peaks).value_or(0);
            most = std::max(most, middle);
            FigureBarRow row{
                FigureText::tr("%1: %2", "key: value").arg(sweepKeyTitle(key), sweepValueText(value, key)), {}, {}};
            row.bars.push_back({{{middle, {kPlain}}}, bytesText(middle), false});
            panel.rows.push_back(std::move(row));
        }
    }
    panel.unit = byteUnit(most);
    panel.axisTitle = FigureText::tr("Memory (%1)").arg(panel.unit.name);
    return panel;
}

QStringList captionOf(const Overview& overview)
{
    const nlohmann::json varied =
        overview.points.empty() ? nlohmann::json() : sweepVaried(*overview.points.front(), overview.keys);
    QStringList parts{FigureText::tr("rows: %1").arg(sweepKeysText(varied))};
    const auto all = static_cast<qlonglong>(overview.sweep.points.size());
    const auto measured = static_cast<qlonglong>(overview.measured);
    parts << (measured < all ? FigureText::tr("%1 of %2 points have a peak").arg(measured).arg(all)
                             : FigureText::tr("%1 points").arg(all));
    if (overview.measured > overview.points.size())
        parts << FigureText::tr("the %1 with the highest peaks").arg(static_cast<qlonglong>(overview.points.size()));
    if (anyTooBusy(overview.sweep, "median_step_seconds"))
        parts << FigureText::tr("some times are of a busy machine");
    return parts;
}

} // namespace

Status checkSweepPeaks(const RunResult& run)
{
    const auto sweep = sweepOf(run);
    if (run.kind != ResultKind::Sweep || !sweep)
        return failed({}, "it is no sweep; peakscope-cli sweep makes one");
    const bool any = std::any_of(sweep->points.begin(), sweep->points.end(),
                                 [](const SweepPoint& point) { return point.peakBytes.has_value(); });
    if (!any)
        return failed({}, "no point of the sweep has a measured peak");
    return Done{};
}

FigureBlock sweepOverview(const FigureCanvas& canvas, const RunResult& run)
{
    const auto overview = overviewOf(run, canvas.preset().fixedHeight ? kMostOnSlide : kMostPoints);
    FigureBlock block;
    addPanel(block.panels, canvas, peaksPanel(canvas, *overview));
    addPanel(block.panels, canvas, timesPanel(*overview));
    addPanel(block.panels, canvas, valuesPanel(*overview));
    std::vector<SweepGrowth> growths = sweepGrowths(overview->sweep, "peak_bytes");
    const auto change = [](const SweepGrowth& growth) { return growth.change ? std::abs(growth.change->second) : 0; };
    const auto most = std::max_element(growths.begin(), growths.end(),
                                       [&](const auto& a, const auto& b) { return change(a) < change(b); });
    if (most != growths.end() && !canvas.preset().fixedHeight)
        block.panels.push_back(growthPanel(canvas, std::move(*most)));
    block.above = captionPart(canvas, captionOf(*overview) + takeLonePanels(block.panels));
    std::vector<LegendEntry> entries;
    for (const Component component : componentsOf(*overview))
        entries.push_back({componentTitle(component), componentFill(component), {}, {}, {}});
    std::set<SweepCellState> states;
    for (const SweepPoint* point : overview->points)
        states.insert(point->state());
    states.erase(SweepCellState::Measured);
    for (const SweepCellState state : states) {
        const SweepCellLook look = lookOf(canvas, state);
        const QString title = sweepStateTitle(state, overview->sweep.dry());
        entries.push_back({look.mark + QLatin1Char(' ') + title, fillOf(look), {}, {}, {}});
    }
    if (!entries.empty())
        block.below = legendPart(canvas, std::move(entries));
    return block;
}

} // namespace peakscope
