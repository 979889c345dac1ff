// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// detailed_memory_analysis: one run from four sides: components, kinds of modules, phases, layers.
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_columns.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/text/reading_text.h"

#include "core/analysis/comparison/run_comparison.h"
#include "core/results/tables.h"

#include <algorithm>

namespace peakscope {
namespace detailed_memory_figure {
namespace {

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->peakBytes <= 0)
        return failed({}, "it holds no peak with its components; profile it with the memory ledger");
    if (run.memory->modules.empty())
        return failed({}, "it holds no memory by module; profile it with the memory ledger");
    return Done{};
}

QString axisTitle(const AxisUnit& unit)
{
    return FigureText::tr("Memory (%1)").arg(unit.name);
}

// "12.3 MiB, 45 %".
QString withShare(std::int64_t bytes, std::int64_t whole)
{
    const QString text = bytesText(static_cast<double>(bytes));
    if (whole <= 0 || bytes <= 0)
        return text;
    const double percent = 100.0 * static_cast<double>(bytes) / static_cast<double>(whole);
    const QString share = percent < 0.95 ? FigureText::tr("<1 %") : FigureText::tr("%1 %").arg(qRound(percent));
    return FigureText::tr("%1, %2", "size, share").arg(text, share);
}

BarPanel componentsPanel(const RunResult& run, const std::vector<Component>& components)
{
    BarPanel panel;
    const ComponentReading common = commonReading(run);
    panel.title = FigureText::tr("Components %1", "how they were read").arg(readingText(common));
    panel.unit = byteUnit(static_cast<double>(run.memory->peakBytes));
    std::int64_t most = 0;
    for (const Component component : components) {
        if (!hasComponent(run, component))
            continue;
        const std::int64_t bytes = componentBytes(run.memory->peakComponents, component);
        if (bytes == 0)
            continue;
        most = std::max(most, bytes);
        FigureBarRow row;
        row.name = componentTitle(component);
        // Only what was alive at the peak is a share of it.
        const ComponentReading reading = componentReading(run, component);
        const QString text = bytesText(static_cast<double>(bytes));
        row.bars.push_back({{{static_cast<double>(bytes), componentFill(component)}},
                            reading == ComponentReading::AtPeak ? withShare(bytes, run.memory->peakBytes)
                            : reading == common                 ? text
                                                                : tagged(text, reading),
                            false});
        panel.rows.push_back(std::move(row));
    }
    panel.unit = byteUnit(static_cast<double>(most));
    panel.axisTitle = axisTitle(panel.unit);
    return panel;
}

BarPanel kindsPanel(const RunResult& run)
{
    BarPanel panel;
    panel.title = FigureText::tr("By kind of module");
    std::int64_t most = 0;
    for (const KindUsage& usage : kindUsages(*run.memory)) {
        most = std::max(most, usage.total());
        FigureBarRow row;
        row.name = usage.kind ? moduleKindTitle(*usage.kind) : FigureText::tr("Other modules");
        row.bars.push_back({{{static_cast<double>(usage.parameterBytes), componentFill(Component::Parameters)},
                             {static_cast<double>(usage.gradientBytes), componentFill(Component::Gradients)},
                             {static_cast<double>(usage.activationBytes), componentFill(Component::Activations)}},
                            bytesText(static_cast<double>(usage.total())),
                            false});
        panel.rows.push_back(std::move(row));
    }
    panel.unit = byteUnit(static_cast<double>(most));
    panel.axisTitle = FigureText::tr("Sum of the modules' maxima (%1)").arg(panel.unit.name);
    return panel;
}

BarPanel phasesPanel(const RunResult& run, const std::vector<Component>& components)
{
    BarPanel panel;
    panel.title = FigureText::tr("Peak of each phase");
    panel.unit = byteUnit(static_cast<double>(run.memory->peakBytes));
    panel.axisTitle = axisTitle(panel.unit);
    for (const PhasePeak& peak : phasePeaks(*run.memory, MemoryTimeline(run.memory->timeline))) {
        if (peak.totalBytes <= 0)
            continue;
        FigureBar bar;
        bar.label = bytesText(static_cast<double>(peak.totalBytes));
        for (const Component component : components) {
            if (const std::int64_t bytes = componentBytes(peak.components, component); bytes > 0)
                bar.parts.push_back({static_cast<double>(bytes), componentFill(component)});
        }
        panel.rows.push_back({phaseTitle(peak.phase), {}, {std::move(bar)}});
    }
    return panel;
}

Fill kindFill(std::size_t kind)
{
    // Hatches beside the colours, as everywhere: neighbours in the stack differ in grey.
    constexpr Hatch kHatches[kModuleKindCount] = {Hatch::None, Hatch::Rising,  Hatch::Crossed,
                                                  Hatch::Dots, Hatch::Falling, Hatch::Horizontal};
    if (kind >= kModuleKindCount)
        return {QColor(0xbb, 0xbb, 0xbb), Hatch::Vertical, QColor(0x77, 0x77, 0x77)};
    const QColor color = moduleKindColor(static_cast<ModuleKind>(kind));
    return {color, kHatches[kind], color.darker(150)};
}

ColumnPanel layersPanel(const RunResult& run)
{
    ColumnPanel panel;
    panel.title = FigureText::tr("Activations by layer");
    panel.xTitle = FigureText::tr("Layer");
    const std::vector<LayerUsage> layers = layerUsages(*run.memory);
    std::array<bool, kModuleKindCount + 1> used{};
    std::int64_t most = 0;
    for (const LayerUsage& layer : layers) {
        ColumnStack column;
        column.position = layer.layer;
        for (std::size_t kind = 0; kind <= kModuleKindCount; ++kind) {
            used[kind] = used[kind] || layer.activationBytes[kind] > 0;
            if (layer.activationBytes[kind] > 0)
                column.parts.push_back({static_cast<double>(layer.activationBytes[kind]), kindFill(kind)});
        }
        most = std::max(most, layer.total());
        panel.columns.push_back(std::move(column));
    }
    if (most == 0)
        panel.columns.clear(); // no layer's activations are known
    for (std::size_t kind = 0; kind <= kModuleKindCount; ++kind) {
        if (used[kind]) {
            const QString text = kind < kModuleKindCount ? moduleKindTitle(static_cast<ModuleKind>(kind))
                                                         : FigureText::tr("Other modules");
            panel.legend.push_back({text, kindFill(kind), {}, {}});
        }
    }
    panel.unit = byteUnit(static_cast<double>(most));
    panel.yTitle = axisTitle(panel.unit);
    return panel;
}

std::vector<LegendEntry> legendOf(const RunResult& run)
{
    std::vector<LegendEntry> entries;
    for (const Component component : componentsPresent(*run.memory))
        entries.push_back({componentTitle(component), componentFill(component), {}, {}});
    return entries;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    const std::vector<Component> components = componentsPresent(*run.memory);
    FigureBlock block;
    addPanel(block.panels, canvas, componentsPanel(run, components));
    addPanel(block.panels, canvas, kindsPanel(run));
    addPanel(block.panels, canvas, phasesPanel(run, components));
    addPanel(block.panels, canvas, layersPanel(run));
    block.below = legendPart(canvas, legendOf(run));
    return block;
}

// A line a bar piece: which panel, which bar, which part of it.
std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table table;
    table.columns = {{"run", ""}, {"panel", ""}, {"name", ""}, {"part", ""}, {"bytes", "bytes"}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const MemorySection& memory = *results[i]->memory;
        const auto add = [&](std::string_view panel, std::string bar, std::string_view part, std::int64_t bytes) {
            table.rows.push_back(
                {labels[i].toStdString(), std::string(panel), std::move(bar), std::string(part), bytes});
        };
        const auto panelOf = [&run = *results[i]](Component component) {
            return "components_" + std::string(name(componentReading(run, component)));
        };
        for (const Component component : componentStackOrder()) {
            if (hasComponent(*results[i], component)) // else absent, which is not zero
                add(panelOf(component), std::string(name(component)), "",
                    componentBytes(memory.peakComponents, component));
        }
        for (const KindUsage& usage : kindUsages(memory)) {
            const std::string kind(usage.kind ? name(*usage.kind) : "");
            add("module_kinds", kind, name(Component::Parameters), usage.parameterBytes);
            add("module_kinds", kind, name(Component::Gradients), usage.gradientBytes);
            add("module_kinds", kind, name(Component::Activations), usage.activationBytes);
        }
        for (const PhasePeak& peak : phasePeaks(memory, MemoryTimeline(memory.timeline))) {
            for (const Component component : componentStackOrder())
                add("phase_peaks", std::string(name(peak.phase)), name(component),
                    componentBytes(peak.components, component));
        }
        for (const LayerUsage& layer : layerUsages(memory)) {
            for (std::size_t kind = 0; kind <= kModuleKindCount; ++kind)
                add("layer_activations", std::to_string(layer.layer),
                    kind < kModuleKindCount ? name(static_cast<ModuleKind>(kind)) : std::string_view(),
                    layer.activationBytes[kind]);
        }
    }
    return toCsv(table);
}

} // namespace
} // namespace detailed_memory_figure

constinit const FigureKind kDetailedMemoryFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Detailed memory analysis"),
                                                 &detailed_memory_figure::checkRun, &detailed_memory_figure::csv,
                                                 &eachRun<&detailed_memory_figure::blockOf>};

} // namespace peakscope
