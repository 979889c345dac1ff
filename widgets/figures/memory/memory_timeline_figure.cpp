// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_timeline: the components stacked over time, a run under the other on the same axes. A run without a timeline
// is drawn from its snapshots, a sweep from those of its points.
#include "widgets/figures/memory/snapshot_panel.h"
#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/memory/timeline_range.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/timeline/snapshot_marks.h"

#include "core/base/csv_text.h"
#include "core/base/json/json_text.h"
#include "core/results/component_reading.h"
#include "core/results/tables.h"
#include "core/snapshots/snapshot_axis.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace peakscope {
namespace memory_timeline_figure {
namespace {

// A component whose maximum is thinner than this share of the axis cannot be seen, so it needs no key.
constexpr double kVisibleShare = 0.002;

Status checkRun(const RunResult& run)
{
    if (run.memory && (run.memory->timeline.size() > 0 || drawsSnapshots(*run.memory)))
        return Done{};
    if (!snapshotPoints(run).empty())
        return Done{};
    return failed({}, "it holds no memory timeline and no snapshots; profile it with the memory ledger");
}

// The runs that get a panel each: those given, and in place of a sweep its points that hold snapshots.
struct Drawn {
    RunResults runs;
    std::vector<QString> labels;
};

Drawn drawnRuns(const RunResults& results)
{
    Drawn drawn;
    const std::vector<QString> labels = runLabels(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::vector<SnapshotPoint> points = snapshotPoints(*results[i]);
        if (points.empty()) {
            drawn.runs.push_back(results[i]);
            drawn.labels.push_back(labels[i]);
        }
        for (SnapshotPoint& point : points) {
            const QString setting = QString::fromStdString(point.setting);
            drawn.labels.push_back(results.size() > 1 ? labels[i] + QStringLiteral(" · ") + setting : setting);
            drawn.runs.push_back(std::make_shared<const RunResult>(std::move(point.run)));
        }
    }
    return drawn;
}

// A snapshot of an allocator: over its events, for most of its time is none of training, with what was reserved as a
// line of its own.
std::shared_ptr<const RunResult> overEvents(const RunResult& run)
{
    auto drawn = resultAlong(run, SnapshotAxis::Events);
    MemorySection& memory = *drawn->memory;
    PlacedBytes reserved = reservedAlong(*run.recording, SnapshotAxis::Events);
    MarkUsage line;
    line.name = FigureText::tr("reserved").toStdString();
    line.timeSeconds = std::move(reserved.places);
    line.bytes = std::move(reserved.bytes);
    memory.marks.push_back(std::move(line));
    memory.peakReservedBytes = 0; // the line says it
    return drawn;
}

struct Scene {
    RunResults runs; // those chosen
    std::vector<MemoryTimeline> timelines;
    std::vector<SnapshotCourse> courses; // empty where there is a timeline
    std::vector<QString> labels;         // above each panel; empty where there is one run only
    bool timed = false;                  // any of them has times: the axis is time, else the order of the snapshots
    bool events = false;                 // all are snapshots of allocators: the axis counts their events
    double end = 0;                      // of the runs
    TimeSpan shown;                      // on the axis
    QStringList caption;                 // which part that is
    double topBytes = 0;                 // what the axis must reach without its head room

    bool isCourse(std::size_t run) const { return courses[run].size() > 0; }
    bool anyCourse() const
    {
        return std::ranges::any_of(courses, [](const SnapshotCourse& course) { return course.size() > 0; });
    }
};

// What another program's snapshot does not say of its bytes; where the axis is time, a note says so.
bool isInferred(const Scene& scene, const RunResult& run)
{
    return scene.events && componentDoubt(run) == ComponentDoubt::Inferred;
}

// A limit far above the data would flatten it: it is written out instead of drawn.
constexpr double kFarAbove = 1.6;

// A few snapshots are all shown, with room beside the first and the last.
void chooseRange(const FigureCanvas& canvas, Scene& scene)
{
    if (scene.anyCourse()) {
        scene.shown = {-kSnapshotSideRoom * scene.end, (1 + kSnapshotSideRoom) * scene.end};
        return;
    }
    const TimeSpan whole{0, scene.end};
    std::vector<TimelineOfRun> runs;
    for (std::size_t i = 0; i < scene.runs.size(); ++i)
        runs.push_back({&*scene.runs[i]->memory, &scene.timelines[i]});
    scene.shown =
        scene.events ? askedRange(canvas.preset(), whole).value_or(whole) : shownRange(canvas.preset(), runs, whole);
    scene.caption = rangeCaption(runs, scene.shown, whole, !scene.events);
}

Scene sceneOf(const FigureCanvas& canvas, const RunResults& results)
{
    Scene scene;
    const Drawn drawn = drawnRuns(results);
    for (std::size_t i = 0; i < drawn.runs.size(); ++i) {
        if (!isChosen(canvas, i))
            continue;
        scene.runs.push_back(drawn.runs[i]);
        if (drawn.runs.size() > 1)
            scene.labels.push_back(panelMark(canvas, i) + drawn.labels[i]);
    }
    double peak = 0, most = 0; // the latter with what was reserved
    scene.events = !scene.runs.empty() && std::all_of(scene.runs.begin(), scene.runs.end(),
                                                      [](const auto& run) { return run->recording != nullptr; });
    for (auto& run : scene.runs) {
        if (!scene.events)
            break;
        most = std::max(most, static_cast<double>(run->memory->peakReservedBytes));
        run = overEvents(*run);
    }
    for (const auto& result : scene.runs) {
        const MemorySection& memory = *result->memory;
        scene.timelines.emplace_back(memory.timeline);
        scene.courses.push_back(drawsSnapshots(memory) ? snapshotCourse(memory) : SnapshotCourse());
        const SnapshotCourse& course = scene.courses.back();
        scene.timed = scene.timed || course.size() == 0 || course.timed;
        const std::int64_t own = course.size() > 0 ? memory.peakBytes : scene.timelines.back().peakBytes();
        peak = std::max(peak, static_cast<double>(own));
        most = std::max({most, peak, static_cast<double>(course.highestBytes())});
    }
    for (std::size_t i = 0; i < scene.runs.size(); ++i) {
        const bool placed = !scene.isCourse(i) || scene.courses[i].timed == scene.timed;
        if (placed)
            scene.end = std::max({scene.end, endSeconds(*scene.runs[i]->memory), scene.courses[i].endPosition()});
    }
    scene.topBytes = most;
    for (const auto& result : scene.runs) {
        for (const ReferenceLine& line : referenceLines(*result)) {
            if (static_cast<double>(line.bytes) <= peak * kFarAbove)
                scene.topBytes = std::max(scene.topBytes, static_cast<double>(line.bytes));
        }
    }
    scene.end = scene.end > 0 ? scene.end : 1e-3;
    scene.topBytes = std::max(scene.topBytes, 1.0);
    chooseRange(canvas, scene);
    return scene;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const Scene& scene, const std::vector<Phase>& phases)
{
    std::vector<LegendEntry> entries;
    RunResults results; // those that are drawn as stacks
    ComponentBytes highest{};
    for (std::size_t i = 0; i < scene.runs.size(); ++i) {
        if (scene.isCourse(i))
            continue;
        results.push_back(scene.runs[i]);
        const bool whole = scene.shown.begin <= 0 && scene.shown.end >= scene.end;
        const ComponentBytes own =
            whole ? scene.runs[i]->memory->maxComponents : mostWithin(scene.timelines[i], scene.shown);
        for (std::size_t c = 0; c < own.size(); ++c)
            highest[c] = std::max(highest[c], own[c]);
    }
    const bool doubted = std::ranges::any_of(scene.runs, [&](const auto& run) { return isInferred(scene, *run); });
    bool inferred = false;
    for (const Component component : componentsPresent(results)) {
        const std::int64_t most = componentBytes(highest, component);
        if (static_cast<double>(most) >= scene.topBytes * kVisibleShare)
            entries.push_back({componentTitle(component), stackFill(component, doubted), {}, {}});
        inferred = inferred || (doubted && most > 0 && isDoubtful(ComponentDoubt::Inferred, component));
    }
    if (inferred) {
        const Fill fill{canvas.colors().background, Hatch::Rising, canvas.colors().text};
        entries.push_back({FigureText::tr("components inferred"), fill, {}, {}});
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
    for (LegendEntry& entry : snapshotLegend(canvas, scene.courses))
        entries.push_back(std::move(entry));
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
    qsizetype headingLines = 1;
    double panelHead = 0; // heading and phase strip of one panel, or its snapshots' names
    double names = 0;     // of the latter, the names' part
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

// A point's setting over as many lines as it takes, broken between its keys: each of them tells panels apart.
QStringList headingLines(const FigureCanvas& canvas, const QString& label, double width)
{
    QStringList lines;
    for (const QString& part : label.split(QStringLiteral(", "))) {
        const QString longer = lines.isEmpty() ? part : lines.back() + QStringLiteral(", ") + part;
        if (lines.isEmpty())
            lines << part;
        else if (canvas.width(longer + u',', {TextSize::Normal, true}) + canvas.gap() * 2 <= width)
            lines.back() = longer;
        else {
            lines.back() += u',';
            lines << part;
        }
    }
    return lines;
}

double panelHead(const FigureCanvas& canvas, const Scene& scene, bool stepRow, double names, qsizetype lines)
{
    bool phases = false;
    for (const auto& result : scene.runs)
        phases = phases || !result->memory->phases.empty();
    const double heading = !scene.labels.empty() ? canvas.lineHeight() * (static_cast<double>(lines) + 0.1) : 0;
    const double rows = phases ? (stepRow ? 2 : 1) * stripHeight(canvas) : canvas.gap() * 2;
    return heading + std::max(rows, names);
}

// Of the courses' names above their plots.
double namesHeight(const FigureCanvas& canvas, const Scene& scene)
{
    double height = 0;
    for (const SnapshotCourse& course : scene.courses) {
        if (course.size() > 0)
            height = std::max(height, snapshotNamesHeight(canvas, course));
    }
    return height;
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
    if (count > static_cast<int>(kMostRuns)) // the points of a sweep
        layout.columns = std::clamp(static_cast<int>(body.width() / (canvas.lineHeight() * 18)), 1, 3);
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
    layout.entries = legendOf(canvas, scene, unnamedPhases(canvas, memories, scene.shown, width));
    layout.legend = legendHeight(canvas, layout.entries, body.width());
    const double pitch = (body.height() - layout.bottom - layout.legend - canvas.gap()) / layout.rows;
    layout.stepRow = pitch > canvas.lineHeight() * 7;
    // A low panel keeps its height for the plot.
    layout.names = namesHeight(canvas, scene);
    if (pitch - layout.names < canvas.lineHeight() * 6 || count > static_cast<int>(kMostRuns))
        layout.names = 0;
    for (const QString& label : scene.labels) {
        if (count > static_cast<int>(kMostRuns))
            layout.headingLines = std::max(layout.headingLines, headingLines(canvas, label, width).size());
    }
    layout.panelHead = panelHead(canvas, scene, layout.stepRow, layout.names, layout.headingLines);
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
    const Scene scene = sceneOf(canvas, results);
    if (scene.runs.size() <= 1)
        return 0;
    const Layout layout = layoutOf(canvas, QRectF(0, 0, width, 10000), scene);
    const double plot = std::max(canvas.lineHeight() * 6.5, width * 0.16);
    return captionHeight(canvas, scene.caption, width) + layout.rows * (layout.panelHead + plot + layout.between) +
           layout.bottom + layout.legend + canvas.gap();
}

TimelinePanel panelOf(const FigureCanvas& canvas, const QRectF& cell, const RunResult& run,
                      const MemoryTimeline& timeline, const Scene& scene, const Layout& layout)
{
    TimelinePanel panel;
    panel.run = &run;
    panel.timeline = &timeline;
    panel.area.rect = cell.adjusted(layout.left, layout.panelHead, -canvas.gap() * 2, -layout.between);
    panel.area.xLow = scene.shown.begin;
    panel.area.xHigh = scene.shown.end;
    panel.area.yHigh = layout.yHigh;
    panel.yTicks = layout.yTicks;
    panel.stripHeight = stripHeight(canvas);
    panel.stepRow = layout.stepRow;
    panel.inferred = isInferred(scene, run);
    return panel;
}

// A course without times beside runs that have them goes over the whole width.
void drawCourse(FigureCanvas& canvas, const TimelinePanel& place, const SnapshotCourse& course, const Scene& scene,
                const Layout& layout)
{
    SnapshotPanel panel;
    panel.run = place.run;
    panel.course = &course;
    panel.area = place.area;
    panel.yTicks = place.yTicks;
    panel.namesHeight = layout.names;
    if (course.timed != scene.timed) {
        const double end = std::max(course.endPosition(), 1e-3); // 0 of a single snapshot
        panel.area.xLow = -kSnapshotSideRoom * end;
        panel.area.xHigh = (1 + kSnapshotSideRoom) * end;
        canvas.text({panel.area.rect.left() + canvas.gap() * 2, panel.area.rect.top() + canvas.lineHeight() * 0.6},
                    FigureText::tr("in order: no times were recorded"), Qt::AlignLeft, {TextSize::Small, false, true});
    }
    drawSnapshotPanel(canvas, panel);
}

void drawOrderAxis(FigureCanvas& canvas, const AxisArea& area, double end, bool labelled)
{
    Ticks ticks;
    const auto last = static_cast<std::int64_t>(end) + 1;
    const int count = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(TextSize::Small) * 3)));
    for (const double place : wholeTicks(1, last, count).values) {
        ticks.values.push_back(place - 1); // the first one is at 0
        ticks.labels << (labelled ? QString::number(static_cast<qlonglong>(place)) : QString());
    }
    drawBottomAxis(canvas, area, ticks, labelled ? snapshotOrderTitle() : QString());
}

void drawTimeAxis(FigureCanvas& canvas, const AxisArea& area, const Scene& scene, bool snapshots, bool labelled)
{
    const AxisUnit unit{1, QStringLiteral("s")}; // always: timelines are compared side by side on paper
    const int count = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(TextSize::Small) * 6)));
    Ticks ticks = roundTicks(std::max(0.0, scene.shown.begin), std::min(scene.shown.end, scene.end), count, unit);
    if (!labelled)
        ticks.labels.fill(QString());
    const QString title =
        snapshots ? FigureText::tr("Time since the first snapshot (%1)") : FigureText::tr("Time (%1)");
    drawBottomAxis(canvas, area, ticks, labelled ? title.arg(unit.name) : QString());
}

void drawEventAxis(FigureCanvas& canvas, const AxisArea& area, bool labelled)
{
    const int count = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(TextSize::Small) * 6)));
    Ticks ticks =
        wholeTicks(static_cast<std::int64_t>(std::ceil(area.xLow)), static_cast<std::int64_t>(area.xHigh), count);
    if (!labelled)
        ticks.labels.fill(QString());
    drawBottomAxis(canvas, area, ticks, labelled ? FigureText::tr("Event") : QString());
}

void draw(FigureCanvas& canvas, const QRectF& whole, const RunResults& results)
{
    const Scene scene = sceneOf(canvas, results);
    drawCaption(canvas, whole, scene.caption);
    const QRectF body = whole.adjusted(0, captionHeight(canvas, scene.caption, whole.width()), 0, 0);
    const Layout layout = layoutOf(canvas, body, scene);
    const double pitch = (body.height() - layout.bottom - layout.legend - canvas.gap()) / layout.rows;
    const int count = static_cast<int>(scene.runs.size());
    const bool allCourses =
        std::ranges::all_of(scene.courses, [](const SnapshotCourse& course) { return course.size() > 0; });
    for (int i = 0; i < count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        // Down the first column, then down the second.
        const int row = i % layout.rows;
        const double x = body.left() + (i / layout.rows) * (layout.columnWidth + canvas.gap() * 4);
        const QRectF cell(x, body.top() + row * pitch, layout.columnWidth, pitch);
        const TimelinePanel panel = panelOf(canvas, cell, *scene.runs[index], scene.timelines[index], scene, layout);
        if (!scene.labels.empty()) {
            QRectF line(panel.area.rect.left(), cell.top(), panel.area.rect.width(), canvas.lineHeight() * 1.1);
            const QString& label = scene.labels[index];
            const QStringList lines =
                layout.headingLines > 1 ? headingLines(canvas, label, line.width()) : QStringList{label};
            line.translate(0, static_cast<double>(layout.headingLines - lines.size()) * canvas.lineHeight());
            drawHeading(canvas, line, lines.front(), runBadges(*scene.runs[index]));
            for (const QString& more : lines.mid(1)) {
                line.translate(0, canvas.lineHeight());
                drawHeading(canvas, line, more, {});
            }
        }
        if (scene.isCourse(index))
            drawCourse(canvas, panel, scene.courses[index], scene, layout);
        else
            drawTimelinePanel(canvas, panel);
        const bool labelled = row + 1 == layout.rows || i + 1 == count;
        if (scene.events)
            drawEventAxis(canvas, panel.area, labelled);
        else if (scene.timed)
            drawTimeAxis(canvas, panel.area, scene, allCourses, labelled);
        else
            drawOrderAxis(canvas, panel.area, scene.end, labelled);
    }
    // One title for all panels: they share the scale.
    const double middle = body.top() + (layout.rows * pitch + (count == 1 ? layout.panelHead : 0)) / 2;
    canvas.verticalText({body.left() + canvas.lineHeight() / 2, middle},
                        FigureText::tr("Memory (%1)").arg(layout.unit.name));
    drawLegend(canvas, QRectF(body.left(), body.bottom() - layout.legend, body.width(), layout.legend), layout.entries);
}

// The snapshots in the columns of a timeline, and three more: name, reserved, highest.
constexpr const char* kSnapshotColumns = ",snapshot,reserved_bytes,max_allocated_bytes";

std::vector<std::string> courseRows(const SnapshotCourse& course)
{
    const auto cell = [&course](SnapshotSeries series, std::size_t i) {
        const auto bytes = snapshotBytes(course, series, i);
        return bytes ? std::to_string(*bytes) : std::string();
    };
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < course.size(); ++i) {
        std::string row;
        if (course.timed)
            appendSeconds(row, course.position[i]);
        row += ",,," + cell(SnapshotSeries::Allocated, i) + "," + csvCell(course.names[i]) + "," +
               cell(SnapshotSeries::Reserved, i) + "," + cell(SnapshotSeries::Maximum, i);
        rows.push_back(std::move(row));
    }
    return rows;
}

// The header is the first of them.
std::vector<std::string> timelineRows(const TimelineData& timeline)
{
    std::vector<std::string> rows;
    std::istringstream lines(timelineCsv(timeline));
    for (std::string line; std::getline(lines, line);)
        rows.push_back(line.substr(0, line.find('\r')));
    return rows;
}

// One line an event or snapshot; several runs are told apart by a first column, and snapshots have columns of their own
// where there are any.
std::string csv(const RunResults& given)
{
    const auto [results, labels] = drawnRuns(given);
    const bool courses =
        std::any_of(results.begin(), results.end(), [](const auto& result) { return drawsSnapshots(*result->memory); });
    const bool several = results.size() > 1;
    if (!several && !courses)
        return timelineCsv(results.front()->memory->timeline);
    const std::string header = timelineRows({}).front() + (courses ? kSnapshotColumns : "");
    std::string text = (several ? "run," : "") + header + "\r\n";
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string run = several ? csvCell(labels[i].toStdString()) + "," : std::string();
        const MemorySection& memory = *results[i]->memory;
        const bool course = drawsSnapshots(memory);
        std::vector<std::string> rows = course ? courseRows(snapshotCourse(memory)) : timelineRows(memory.timeline);
        if (!course)
            rows.erase(rows.begin()); // the header
        for (const std::string& row : rows)
            text += run + row + (courses && !course ? ",,,\r\n" : "\r\n");
    }
    return text;
}

std::vector<QString> panels(const RunResults& results)
{
    return drawnRuns(results).labels;
}

} // namespace
} // namespace memory_timeline_figure

constinit const FigureKind kMemoryTimelineFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory timeline"),
                                                 &memory_timeline_figure::checkRun,
                                                 &memory_timeline_figure::csv,
                                                 nullptr,
                                                 &memory_timeline_figure::naturalHeight,
                                                 &memory_timeline_figure::draw,
                                                 &memory_timeline_figure::panels};

} // namespace peakscope
