// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_timeline: the components stacked over time, a run under the other on the same axes.
#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"

#include "core/base/csv_text.h"
#include "core/results/tables.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace peakscope {
namespace memory_timeline_figure {
namespace {

// A component whose maximum is thinner than this share of the axis cannot be seen, so it needs no key.
constexpr double kVisibleShare = 0.002;

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->timeline.size() == 0)
        return failed({}, "it holds no memory timeline; profile it with the memory ledger");
    return Done{};
}

struct Scene {
    RunResults runs; // those chosen
    std::vector<MemoryTimeline> timelines;
    std::vector<QString> labels; // above each panel; empty where there is one run only
    double endSeconds = 0;
    double topBytes = 0; // what the axis must reach without its head room
};

// A limit far above the data would flatten it: it is written out instead of drawn.
constexpr double kFarAbove = 1.6;

Scene sceneOf(const FigureCanvas& canvas, const RunResults& results)
{
    Scene scene;
    const std::vector<QString> labels = runLabels(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!isChosen(canvas, i))
            continue;
        scene.runs.push_back(results[i]);
        if (results.size() > 1)
            scene.labels.push_back(panelMark(canvas, i) + labels[i]);
    }
    double peak = 0;
    for (const auto& result : scene.runs) {
        scene.timelines.emplace_back(result->memory->timeline);
        scene.endSeconds = std::max(scene.endSeconds, endSeconds(*result->memory));
        peak = std::max(peak, static_cast<double>(scene.timelines.back().peakBytes()));
    }
    scene.topBytes = peak;
    for (const auto& result : scene.runs) {
        for (const ReferenceLine& line : referenceLines(*result)) {
            if (static_cast<double>(line.bytes) <= peak * kFarAbove)
                scene.topBytes = std::max(scene.topBytes, static_cast<double>(line.bytes));
        }
    }
    scene.endSeconds = scene.endSeconds > 0 ? scene.endSeconds : 1e-3;
    scene.topBytes = std::max(scene.topBytes, 1.0);
    return scene;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const RunResults& results, double topBytes,
                                  const std::vector<Phase>& phases)
{
    std::vector<LegendEntry> entries;
    for (const Component component : componentsPresent(results)) {
        std::int64_t most = 0;
        for (const auto& result : results)
            most = std::max(most, componentBytes(result->memory->maxComponents, component));
        if (static_cast<double>(most) >= topBytes * kVisibleShare)
            entries.push_back({componentTitle(component), componentFill(component), {}, {}});
    }
    std::set<std::string> names;
    for (const auto& result : results) {
        for (const MarkUsage& mark : result->memory->marks) {
            if (!mark.timeSeconds.empty() && names.insert(mark.name).second) {
                const int index = static_cast<int>(names.size()) - 1;
                entries.push_back({QString::fromStdString(mark.name), {}, markDash(index), canvas.colors().text});
            }
        }
    }
    for (const Phase phase : phases) {
        const Fill fill{phaseStripColor(phase, canvas.colors().dark), Hatch::None, {}};
        entries.push_back({FigureText::tr("Phase: %1").arg(phaseTitle(phase)), fill, {}, {}});
    }
    return entries;
}

struct Layout {
    int columns = 1;
    int rows = 1;
    double columnWidth = 0;
    bool stepRow = true;
    double left = 0;
    double bottom = 0;
    double legend = 0;
    double panelHead = 0; // heading and phase strip of one panel
    double between = 0;
    std::vector<LegendEntry> entries;
    Ticks yTicks;
    AxisUnit unit;
    double yHigh = 1;
};

double stripHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight(TextSize::Small) * 1.05;
}

double panelHead(const FigureCanvas& canvas, const Scene& scene, bool stepRow)
{
    bool phases = false;
    for (const auto& result : scene.runs)
        phases = phases || !result->memory->phases.empty();
    const double heading = !scene.labels.empty() ? canvas.lineHeight() * 1.1 : 0;
    return heading + (phases ? (stepRow ? 2 : 1) * stripHeight(canvas) : canvas.gap() * 2);
}

// Of the tick labels and the axis title, or of the names of the rows above the plot.
double leftWidth(const FigureCanvas& canvas, const RunResults& results, const Ticks& ticks)
{
    double names = 0;
    for (const auto& result : results) {
        if (!result->memory->phases.empty())
            names = rowNamesWidth(canvas);
    }
    // The title of several panels runs beside all of them, so beside the names as well.
    if (results.size() > 1)
        return canvas.lineHeight() + canvas.gap() + std::max(leftAxisWidth(canvas, ticks, false), names);
    return std::max(leftAxisWidth(canvas, ticks, true), names);
}

Layout layoutOf(const FigureCanvas& canvas, const QRectF& body, const Scene& scene)
{
    Layout layout;
    const RunResults& results = scene.runs;
    const int count = static_cast<int>(results.size());
    layout.columns = canvas.preset().fixedHeight && count > 2 ? 2 : 1;
    layout.rows = (count + layout.columns - 1) / layout.columns;
    layout.columnWidth = (body.width() - (layout.columns - 1) * canvas.gap() * 4) / layout.columns;
    layout.unit = byteUnit(scene.topBytes);
    layout.bottom = bottomAxisHeight(canvas, true);
    layout.between = count > 1 ? canvas.gap() * 2 : 0;
    // The width of the tick labels is needed before the height is known; their number hardly changes it.
    layout.left = leftWidth(canvas, results, roundTicks(0, scene.topBytes * 1.2, 5, layout.unit));
    const double width = layout.columnWidth - layout.left - canvas.gap() * 2;
    std::vector<const MemorySection*> memories;
    for (const auto& result : results)
        memories.push_back(&*result->memory);
    layout.entries =
        legendOf(canvas, results, scene.topBytes, unnamedPhases(canvas, memories, scene.endSeconds, width));
    layout.legend = legendHeight(canvas, layout.entries, body.width());
    const double pitch = (body.height() - layout.bottom - layout.legend - canvas.gap()) / layout.rows;
    layout.stepRow = pitch > canvas.lineHeight() * 7;
    layout.panelHead = panelHead(canvas, scene, layout.stepRow);
    const double plot = std::max(pitch - layout.panelHead - layout.between, canvas.lineHeight());
    // Head room for one line of text above the highest value.
    const double head = std::min(0.35, 1.7 * canvas.lineHeight(TextSize::Small) / plot);
    layout.yHigh = scene.topBytes / (1 - head);
    const int ticks = std::clamp(static_cast<int>(plot / (canvas.lineHeight(TextSize::Small) * 1.4)), 2, 7);
    layout.yTicks = roundTicks(0, layout.yHigh, ticks, layout.unit);
    // A label at the very top would reach into the rows above the plot.
    const double highestLabel = layout.yHigh * (1 - canvas.fontPt(TextSize::Small) * 0.6 / plot);
    if (!layout.yTicks.values.empty() && layout.yTicks.values.back() > highestLabel)
        layout.yTicks.labels.back().clear();
    layout.left = leftWidth(canvas, results, layout.yTicks);
    return layout;
}

double naturalHeight(const FigureCanvas& canvas, const RunResults& results, double width)
{
    if (results.size() <= 1)
        return 0;
    const Scene scene = sceneOf(canvas, results);
    const Layout layout = layoutOf(canvas, QRectF(0, 0, width, 10000), scene);
    const double plot = std::max(canvas.lineHeight() * 6.5, width * 0.16);
    return layout.rows * (layout.panelHead + plot + layout.between) + layout.bottom + layout.legend + canvas.gap();
}

TimelinePanel panelOf(const FigureCanvas& canvas, const QRectF& cell, const RunResult& run,
                      const MemoryTimeline& timeline, const Scene& scene, const Layout& layout)
{
    TimelinePanel panel;
    panel.run = &run;
    panel.timeline = &timeline;
    panel.area.rect = cell.adjusted(layout.left, layout.panelHead, -canvas.gap() * 2, -layout.between);
    panel.area.xHigh = scene.endSeconds;
    panel.area.yHigh = layout.yHigh;
    panel.yTicks = layout.yTicks;
    panel.stripHeight = stripHeight(canvas);
    panel.stepRow = layout.stepRow;
    return panel;
}

void drawTimeAxis(FigureCanvas& canvas, const AxisArea& area, double end, bool labelled)
{
    const AxisUnit unit{1, QStringLiteral("s")}; // always: timelines are compared side by side on paper
    const int count = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(TextSize::Small) * 6)));
    Ticks ticks = roundTicks(0, end, count, unit);
    if (!labelled)
        ticks.labels.fill(QString());
    drawBottomAxis(canvas, area, ticks, labelled ? FigureText::tr("Time (%1)").arg(unit.name) : QString());
}

void draw(FigureCanvas& canvas, const QRectF& body, const RunResults& results)
{
    const Scene scene = sceneOf(canvas, results);
    const Layout layout = layoutOf(canvas, body, scene);
    const double pitch = (body.height() - layout.bottom - layout.legend - canvas.gap()) / layout.rows;
    const int count = static_cast<int>(scene.runs.size());
    for (int i = 0; i < count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        // Down the first column, then down the second.
        const int row = i % layout.rows;
        const double x = body.left() + (i / layout.rows) * (layout.columnWidth + canvas.gap() * 4);
        const QRectF cell(x, body.top() + row * pitch, layout.columnWidth, pitch);
        const TimelinePanel panel = panelOf(canvas, cell, *scene.runs[index], scene.timelines[index], scene, layout);
        if (!scene.labels.empty()) {
            const QRectF line(panel.area.rect.left(), cell.top(), panel.area.rect.width(), canvas.lineHeight() * 1.1);
            drawHeading(canvas, line, scene.labels[index], runBadges(*scene.runs[index]));
        }
        drawTimelinePanel(canvas, panel);
        drawTimeAxis(canvas, panel.area, scene.endSeconds, row + 1 == layout.rows || i + 1 == count);
    }
    // One title for all panels: they share the scale.
    const double middle = body.top() + (layout.rows * pitch + (count == 1 ? layout.panelHead : 0)) / 2;
    canvas.verticalText({body.left() + canvas.lineHeight() / 2, middle},
                        FigureText::tr("Memory (%1)").arg(layout.unit.name));
    drawLegend(canvas, QRectF(body.left(), body.bottom() - layout.legend, body.width(), layout.legend), layout.entries);
}

// One line an event; several runs are told apart by a first column.
std::string csv(const RunResults& results)
{
    if (results.size() == 1)
        return timelineCsv(results.front()->memory->timeline);
    const std::vector<QString> labels = runLabels(results);
    std::string text;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string run = csvCell(labels[i].toStdString());
        std::istringstream lines(timelineCsv(results[i]->memory->timeline));
        std::string line;
        for (bool header = true; std::getline(lines, line); header = false) {
            if (!header)
                text += run + "," + line + "\n";
            else if (i == 0)
                text += "run," + line + "\n";
        }
    }
    return text;
}

} // namespace
} // namespace memory_timeline_figure

constinit const FigureKind kMemoryTimelineFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory timeline"),
                                                 &memory_timeline_figure::checkRun,
                                                 &memory_timeline_figure::csv,
                                                 nullptr,
                                                 &memory_timeline_figure::naturalHeight,
                                                 &memory_timeline_figure::draw,
                                                 &runLabels};

} // namespace peakscope
