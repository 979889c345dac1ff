// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// detailed_memory_analysis: one run from four sides: components, kinds of modules, phases, layers. What another program
// recorded by stage, or by rule of thumb, stands in panels of its own. All panels of bars are on one scale.
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_columns.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/text/reading_text.h"

#include "core/analysis/comparison/run_comparison.h"
#include "core/base/json/json_reader.h"
#include "core/results/component_reading.h"
#include "core/results/sweeps/snapshot_course.h"
#include "core/results/tables.h"

#include <algorithm>

namespace peakscope {
namespace detailed_memory_figure {
namespace {

struct RecordedBytes {
    std::string name;
    std::int64_t bytes = 0;
    bool estimate = false; // not measured
};

// Stages, then estimates, as the reader of such results keeps them; empty for all others.
std::vector<RecordedBytes> recordedBytes(const RunResult& run)
{
    std::vector<RecordedBytes> recorded;
    const nlohmann::json& memory = lenient::member(run.other, "memory");
    for (const RecordedStage& stage : recordedStages(run).sizes)
        recorded.push_back({stage.name, stage.bytes, false});
    for (const char* key : {"gradient_estimate", "activation_estimate"}) {
        if (const std::int64_t bytes = lenient::integer(memory, std::string(key) + "_bytes", 0); bytes > 0)
            recorded.push_back({key, bytes, true});
    }
    return recorded;
}

bool anyEstimate(const std::vector<RecordedBytes>& recorded)
{
    return std::any_of(recorded.begin(), recorded.end(), [](const RecordedBytes& one) { return one.estimate; });
}

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->peakBytes <= 0)
        return failed({}, "it holds no peak with its components; profile it with the memory ledger");
    if (run.memory->modules.empty() && recordedBytes(run).empty())
        return failed({}, "it holds no memory by module; profile it with the memory ledger");
    return Done{};
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

// The titles of axes of bars hold %1 until the unit of all is known.
QString memoryTitle()
{
    return FigureText::tr("Memory (%1)");
}

BarPanel componentsPanel(const RunResult& run, const std::vector<Component>& components)
{
    BarPanel panel;
    const ComponentReading common = commonReading(run);
    panel.title = FigureText::tr("Components %1", "how they were read").arg(readingText(common));
    for (const Component component : components) {
        if (!hasComponent(run, component))
            continue;
        const std::int64_t bytes = componentBytes(run.memory->peakComponents, component);
        if (bytes == 0)
            continue;
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
    panel.axisTitle = memoryTitle();
    return panel;
}

BarPanel kindsPanel(const RunResult& run)
{
    BarPanel panel;
    const bool increases = modulesAreHookIncreases(run);
    panel.title =
        increases ? FigureText::tr("Hook increases, forward / backward") : FigureText::tr("By kind of module");
    for (const KindUsage& usage : kindUsages(*run.memory)) {
        FigureBarRow row;
        row.name = usage.kind ? moduleKindTitle(*usage.kind) : FigureText::tr("Other modules");
        const BarPart forward{static_cast<double>(usage.activationBytes), componentFill(Component::Activations)};
        const BarPart backward{static_cast<double>(usage.gradientBytes), componentFill(Component::Gradients)};
        if (increases) // of moments apart, so beside one another
            row.bars = {{{forward}, bytesText(forward.value), false}, {{backward}, bytesText(backward.value), false}};
        else
            row.bars.push_back(
                {{{static_cast<double>(usage.parameterBytes), componentFill(Component::Parameters)}, backward, forward},
                 bytesText(static_cast<double>(usage.total())),
                 false});
        panel.rows.push_back(std::move(row));
    }
    panel.axisTitle = increases ? FigureText::tr("Sum of the increases between hooks (%1)")
                                : FigureText::tr("Sum of the modules' maxima (%1)");
    return panel;
}

const Fill kRecordedFill{QColor(0x99, 0x99, 0x99), Hatch::Falling, QColor(0x66, 0x66, 0x66)};

// What another program wrote by stage, and what it only reckoned, hollow.
BarPanel stagesPanel(const RunResult& run)
{
    BarPanel panel;
    const std::vector<RecordedBytes> recorded = recordedBytes(run);
    panel.title = anyEstimate(recorded) ? FigureText::tr("Stages as recorded, and the script's estimates")
                                        : FigureText::tr("Stages as recorded");
    for (const RecordedBytes& one : recorded) {
        QString name = QString::fromStdString(one.name);
        name.replace(QLatin1Char('_'), QLatin1Char(' '));
        const auto value = static_cast<double>(one.bytes);
        panel.rows.push_back({name, {}, {{{{value, kRecordedFill}}, bytesText(value), one.estimate}}});
    }
    panel.axisTitle = memoryTitle();
    return panel;
}

BarPanel phasesPanel(const RunResult& run, const std::vector<Component>& components)
{
    BarPanel panel;
    panel.title = FigureText::tr("Peak of each phase");
    panel.axisTitle = memoryTitle();
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
    panel.yTitle = memoryTitle().arg(panel.unit.name);
    return panel;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const RunResult& run)
{
    std::vector<LegendEntry> entries;
    for (const Component component : componentsPresent(*run.memory))
        entries.push_back({componentTitle(component), componentFill(component), {}, {}});
    if (modulesAreHookIncreases(run)) {
        entries.push_back({FigureText::tr("Forward: increase between hooks"), componentFill(Component::Activations)});
        entries.push_back({FigureText::tr("Backward: increase between hooks"), componentFill(Component::Gradients)});
    }
    const std::vector<RecordedBytes> recorded = recordedBytes(run);
    if (!recorded.empty())
        entries.push_back({FigureText::tr("Recorded by stage"), kRecordedFill});
    if (anyEstimate(recorded))
        entries.push_back(
            {FigureText::tr("Hollow: estimate of the script, not measured"), {}, Dash::Dashed, canvas.colors().text});
    return entries;
}

double longestBar(const BarPanel& panel)
{
    double longest = 0;
    for (const FigureBarRow& row : panel.rows) {
        for (const FigureBar& bar : row.bars) {
            double length = 0;
            for (const BarPart& part : bar.parts)
                length += part.value;
            longest = std::max(longest, length);
        }
    }
    return longest;
}

// The panels of bars of a run.
std::vector<BarPanel> barPanels(const RunResult& run)
{
    const std::vector<Component> components = componentsPresent(*run.memory);
    return {componentsPanel(run, components), kindsPanel(run), phasesPanel(run, components), stagesPanel(run)};
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run, double longest)
{
    FigureBlock block;
    constexpr double kLabelRoom = 1.25; // beyond the longest bar
    for (BarPanel& panel : barPanels(run)) {
        panel.least = longest * kLabelRoom;
        panel.unit = byteUnit(longest);
        panel.axisTitle = panel.axisTitle.arg(panel.unit.name);
        addPanel(block.panels, canvas, std::move(panel));
    }
    addPanel(block.panels, canvas, layersPanel(run));
    if (const QStringList said = takeLonePanels(block.panels); !said.isEmpty())
        block.above = captionPart(canvas, said);
    block.below = legendPart(canvas, legendOf(canvas, run));
    return block;
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    double longest = 0;
    for (const auto& result : results) {
        for (const BarPanel& panel : barPanels(*result))
            longest = std::max(longest, longestBar(panel));
    }
    return blocksOfRuns(results, [&canvas, longest](const RunResult& run) { return blockOf(canvas, run, longest); });
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
            if (modulesAreHookIncreases(*results[i])) {
                add("hook_increases", kind, "forward", usage.activationBytes);
                add("hook_increases", kind, "backward", usage.gradientBytes);
                continue;
            }
            add("module_kinds", kind, name(Component::Parameters), usage.parameterBytes);
            add("module_kinds", kind, name(Component::Gradients), usage.gradientBytes);
            add("module_kinds", kind, name(Component::Activations), usage.activationBytes);
        }
        for (const RecordedBytes& one : recordedBytes(*results[i]))
            add(one.estimate ? "estimates" : "stages", one.name, "", one.bytes);
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
                                                 &detailed_memory_figure::blocks};

} // namespace peakscope
