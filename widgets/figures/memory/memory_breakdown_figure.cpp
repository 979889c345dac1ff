// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_breakdown_comparison: what the peak is made of, run by run, what each component needed at its own maximum, and
// what every run needs beyond the first.
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/text/reading_text.h"

#include "core/analysis/comparison/run_comparison.h"
#include "core/results/prediction_bound.h"
#include "core/results/tables.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {
namespace memory_breakdown_figure {
namespace {

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->peakBytes <= 0)
        return failed({}, "it holds no peak with its components; profile it with the memory ledger");
    return Done{};
}

// How the runs' components were read: at the peak, or after the step or otherwise where any of them was.
ComponentReading readingOf(const RunResults& results)
{
    ComponentReading reading = ComponentReading::AtPeak;
    for (const auto& run : results)
        reading = std::max(reading, commonReading(*run));
    return reading;
}

bool isCumulated(const RunResult& run, Component component)
{
    return componentReading(run, component) == ComponentReading::Cumulated;
}

bool hasMaxima(const RunResult& run, Component component)
{
    return run.memory->has("max_components") && run.memory->has("max_components." + std::string(name(component)));
}

std::vector<BarPart> stack(const RunResult& run, const ComponentBytes& bytes, const std::vector<Component>& components)
{
    std::vector<BarPart> parts;
    for (const Component component : components) {
        // What was added up over iterations was never alive beside the others.
        if (!hasComponent(run, component) || isCumulated(run, component))
            continue;
        if (const std::int64_t value = componentBytes(bytes, component); value != 0)
            parts.push_back({static_cast<double>(value), componentFill(component)});
    }
    return parts;
}

QString axisTitle(const AxisUnit& unit)
{
    return FigureText::tr("Memory (%1)").arg(unit.name);
}

double largestPeak(const RunResults& results)
{
    double most = 0;
    for (const auto& result : results)
        most = std::max(most, static_cast<double>(result->memory->peakBytes));
    return most;
}

QString lettered(const RunResults& results, std::size_t run, const QString& text)
{
    return results.size() > 1 ? runLetter(run) + QLatin1Char(' ') + text : text;
}

// On a page that cannot grow, names of many runs stand beside their bars.
bool namesAbove(const FigureCanvas& canvas, const RunResults& results)
{
    return !canvas.preset().fixedHeight || results.size() <= 4;
}

BarPanel peakPanel(const FigureCanvas& canvas, const RunResults& results, const std::vector<Component>& components)
{
    const std::vector<QString> labels = runLabels(results);
    BarPanel panel;
    const ComponentReading reading = readingOf(results);
    panel.title = reading == ComponentReading::AtPeak
                      ? FigureText::tr("At the peak")
                      : FigureText::tr("Peak, and components %1", "how they were read").arg(readingText(reading));
    panel.unit = byteUnit(largestPeak(results));
    panel.axisTitle = axisTitle(panel.unit);
    panel.namesAbove = namesAbove(canvas, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const RunResult& run = *results[i];
        FigureBarRow row;
        row.name = lettered(results, i, labels[i]);
        if (results.size() > 1) // a single run has its badges at the head of the page
            row.badges = runBadges(run);
        const auto peak = static_cast<double>(run.memory->peakBytes);
        QString label = bytesText(peak);
        if (!panel.namesAbove && !row.badges.isEmpty())
            label += QStringLiteral(" (") + row.badges.join(QStringLiteral(", ")) + QLatin1Char(')');
        std::vector<BarPart> parts = stack(run, run.memory->peakComponents, components);
        if (commonReading(run) == ComponentReading::AtPeak && !parts.empty()) {
            row.bars.push_back({std::move(parts), label, false});
        } else {
            // The peak's own composition is not known: an empty bar, and what was read apart from it.
            row.bars.push_back({{{peak, {canvas.colors().background}}}, FigureText::tr("%1 peak").arg(label), false});
            double sum = 0;
            for (const BarPart& part : parts)
                sum += part.value;
            if (!parts.empty())
                row.bars.push_back({std::move(parts), tagged(bytesText(sum), commonReading(run)), false});
        }
        for (const Component component : cumulatedComponents(run)) {
            const auto bytes = static_cast<double>(componentBytes(run.memory->peakComponents, component));
            if (bytes > 0)
                row.bars.push_back({{{bytes, componentFill(component)}},
                                    tagged(bytesText(bytes), ComponentReading::Cumulated),
                                    false});
        }
        if (run.prediction && run.prediction->peakBytes > 0) {
            const auto predicted = static_cast<double>(run.prediction->peakBytes);
            const QString what = predictionIsBound(run) ? FigureText::tr("at most %1") : FigureText::tr("%1 predicted");
            row.bars.push_back({{{predicted, {}}}, what.arg(bytesText(predicted)), true});
        }
        panel.rows.push_back(std::move(row));
    }
    return panel;
}

BarPanel maximaPanel(const RunResults& results, const std::vector<Component>& components)
{
    BarPanel panel;
    panel.title = FigureText::tr("Each component's own maximum");
    if (results.size() > 1) {
        const QString compact = FigureText::tr("Own maxima, runs A to %1 from above");
        panel.compactTitle = compact.arg(runLetter(results.size() - 1));
    }
    // Where no run knows maxima, what was read of each component stands in their place and is called that.
    const bool maxima =
        std::any_of(results.begin(), results.end(), [](const auto& run) { return run->memory->has("max_components"); });
    if (!maxima)
        panel.title = panel.compactTitle =
            FigureText::tr("Each component %1", "how it was read").arg(readingText(readingOf(results)));
    if (!maxima && results.size() <= 1)
        panel.compactTitle.clear();
    double most = 0;
    for (const Component component : components) {
        FigureBarRow row;
        row.name = componentTitle(component);
        double rowMost = 0;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const RunResult& run = *results[i];
            if (maxima ? !hasMaxima(run, component) : !hasComponent(run, component)) {
                if (results.size() > 1)
                    row.bars.push_back({{}, lettered(results, i, FigureText::tr("not measured")), false});
                continue;
            }
            const auto bytes = static_cast<double>(
                componentBytes(maxima ? run.memory->maxComponents : run.memory->peakComponents, component));
            rowMost = std::max(rowMost, bytes);
            const QString text = !maxima && isCumulated(run, component)
                                     ? tagged(bytesText(bytes), ComponentReading::Cumulated)
                                     : bytesText(bytes);
            row.bars.push_back({{{bytes, componentFill(component)}}, lettered(results, i, text), false});
        }
        most = std::max(most, rowMost);
        if (rowMost > 0)
            panel.rows.push_back(std::move(row));
    }
    panel.unit = byteUnit(most);
    panel.axisTitle = axisTitle(panel.unit);
    return panel;
}

BarPanel extraPanel(const FigureCanvas& canvas, const RunResults& results, const std::vector<Component>& components)
{
    const std::vector<QString> labels = runLabels(results);
    const MemorySection& base = *results.front()->memory;
    BarPanel panel;
    const ComponentReading reading = readingOf(results);
    panel.title = reading == ComponentReading::AtPeak ? FigureText::tr("Beyond run A, at the peak")
                                                      : FigureText::tr("Beyond run A");
    double most = 0;
    for (std::size_t i = 1; i < results.size(); ++i) {
        const MemorySection& memory = *results[i]->memory;
        ComponentBytes extra{};
        double magnitude = 0;
        for (const Component component : components) {
            const auto index = static_cast<std::size_t>(component);
            if (!hasComponent(*results[i], component) || !hasComponent(*results.front(), component) ||
                isCumulated(*results[i], component) || isCumulated(*results.front(), component))
                continue; // of one of them nothing is known that was alive at one time
            extra[index] = memory.peakComponents[index] - base.peakComponents[index];
            magnitude += std::abs(static_cast<double>(extra[index]));
        }
        most = std::max(most, magnitude);
        FigureBarRow row;
        row.name = lettered(results, i, labels[i]);
        const std::int64_t extraBytes = memory.peakBytes - base.peakBytes;
        const auto difference = static_cast<double>(extraBytes);
        std::vector<BarPart> parts = stack(*results[i], extra, components);
        if (parts.empty() || reading != ComponentReading::AtPeak) {
            // What was read apart from the peak does not explain it.
            most = std::max(most, std::abs(difference));
            row.bars.push_back({{{difference, {canvas.colors().background}}},
                                FigureText::tr("%1 peak").arg(signedBytesText(extraBytes)),
                                false});
            double sum = 0;
            for (const BarPart& part : parts)
                sum += part.value;
            if (!parts.empty())
                row.bars.push_back({std::move(parts), tagged(signedBytesText(std::llround(sum)), reading), false});
        } else {
            row.bars.push_back({std::move(parts), signedBytesText(extraBytes), false});
        }
        panel.rows.push_back(std::move(row));
    }
    panel.namesAbove = namesAbove(canvas, results);
    panel.unit = byteUnit(most);
    panel.axisTitle = FigureText::tr("Difference in memory (%1)").arg(panel.unit.name);
    return panel;
}

std::vector<LegendEntry> legendOf(const RunResults& results)
{
    std::vector<LegendEntry> entries;
    for (const Component component : componentsPresent(results))
        entries.push_back({componentTitle(component), componentFill(component), {}, {}});
    return entries;
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    const std::vector<Component> components = componentsPresent(results);
    FigureBlock block;
    addPanel(block.panels, canvas, peakPanel(canvas, results, components));
    addPanel(block.panels, canvas, maximaPanel(results, components));
    if (results.size() > 1)
        addPanel(block.panels, canvas, extraPanel(canvas, results, components));
    if (const QStringList said = takeLonePanels(block.panels); !said.isEmpty())
        block.above = captionPart(canvas, said);
    block.below = legendPart(canvas, legendOf(results));
    block.packed = true; // the maxima are as long as the two others together
    return {std::move(block)};
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table table;
    table.columns = {{"run", ""}, {"component", ""}};
    std::set<ComponentReading> readings;
    for (const auto& run : results) {
        const ComponentReadings own = componentReadings(*run);
        readings.insert(own.begin(), own.end());
    }
    for (const ComponentReading reading : readings)
        table.columns.push_back({std::string(readingColumn(reading)), "bytes"});
    table.columns.push_back({"max_bytes", "bytes"});
    table.columns.push_back({std::string(readingColumn(readingOf(results))) + "_beyond_first", "bytes"});
    const ComponentBytes& base = results.front()->memory->peakComponents;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const RunResult& run = *results[i];
        const MemorySection& memory = *run.memory;
        for (const Component component : componentStackOrder()) {
            const bool known = hasComponent(run, component);
            const std::int64_t bytes = componentBytes(memory.peakComponents, component);
            const bool both = known && hasComponent(*results.front(), component) && !isCumulated(run, component) &&
                              !isCumulated(*results.front(), component);
            std::vector<TableCell> row{labels[i].toStdString(), std::string(name(component))};
            for (const ComponentReading reading : readings)
                row.push_back(cellIf(known && componentReading(run, component) == reading, bytes));
            row.push_back(cellIf(hasMaxima(run, component), componentBytes(memory.maxComponents, component)));
            row.push_back(cellIf(both, bytes - componentBytes(base, component)));
            table.rows.push_back(std::move(row));
        }
    }
    return toCsv(table);
}

} // namespace
} // namespace memory_breakdown_figure

constinit const FigureKind kMemoryBreakdownFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory breakdown"),
                                                  &memory_breakdown_figure::checkRun, &memory_breakdown_figure::csv,
                                                  &memory_breakdown_figure::blocks};

} // namespace peakscope
