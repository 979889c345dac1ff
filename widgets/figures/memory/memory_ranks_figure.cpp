// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_ranks: a memory timeline per rank of one run, on one time axis and one memory scale, with what each took and
// how uneven they are.
#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/memory/timeline_range.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"

#include "core/base/csv_text.h"
#include "core/results/rank_balance.h"
#include "core/results/tables.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace peakscope {
namespace memory_ranks_figure {
namespace {

// More would be hairlines on a page: of larger runs the first ones are drawn, the fullest and the slowest among them.
constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kOneColumn = 8;   // of ranks at most; more stand in two columns where the page is wide enough
constexpr double kVisibleShare = 0.002; // a thinner component cannot be seen, so it needs no key
constexpr TextSize kSmall = TextSize::Small;

Status checkRanks(const RunResult& run)
{
    const auto recorded = [](const RankSection& rank) { return rank.memory && rank.memory->timeline.size() > 0; };
    if (run.ranks.size() < 2)
        return failed({}, "it was not on several ranks");
    if (std::none_of(run.ranks.begin(), run.ranks.end(), recorded))
        return failed({}, "none of its ranks holds a memory timeline");
    return Done{};
}

struct RankPanels {
    RankBalance balance;
    std::vector<std::size_t> shown; // indices of ranks
    std::vector<RunResult> runs;    // one a rank shown, its memory only: what a timeline panel draws
    std::vector<MemoryTimeline> timelines;
    double endSeconds = 1e-3;
    TimeSpan span;       // on the axis
    QStringList caption; // which part that is
    double topBytes = 1;
};

// Of ranks that need the same memory the one that was run.
std::vector<std::size_t> ranksShown(const std::vector<RankSection>& ranks, const RankBalance& balance)
{
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < ranks.size() && shown.size() < kMostRanks; ++i) {
        if (!ranks[i].sameAs)
            shown.push_back(i);
    }
    // They take the places of the last ones where they are beyond.
    std::size_t place = shown.size();
    for (const auto& marked : {balance.slowest, balance.fullest}) {
        const bool there = !marked || std::find(shown.begin(), shown.end(), *marked) != shown.end();
        if (!there)
            shown[--place] = *marked;
    }
    std::sort(shown.begin(), shown.end());
    return shown;
}

RankPanels panelsOf(const FigureCanvas& canvas, const RunResult& run)
{
    RankPanels panels;
    panels.balance = rankBalance(run.ranks);
    panels.shown = ranksShown(run.ranks, panels.balance);
    for (const std::size_t index : panels.shown) {
        RunResult one;
        one.memory = run.ranks[index].memory.value_or(MemorySection{});
        one.memory->marks.clear();
        one.memory->peakReservedBytes = 0; // a line of its own in every panel would hide the differences
        panels.timelines.emplace_back(one.memory->timeline);
        panels.endSeconds = std::max(panels.endSeconds, endSeconds(*one.memory));
        panels.topBytes = std::max(panels.topBytes, static_cast<double>(panels.timelines.back().peakBytes()));
        panels.runs.push_back(std::move(one));
    }
    std::vector<TimelineOfRun> recorded;
    for (std::size_t i = 0; i < panels.runs.size(); ++i) {
        if (panels.timelines[i].size() > 0)
            recorded.push_back({&*panels.runs[i].memory, &panels.timelines[i]});
    }
    const TimeSpan whole{0, panels.endSeconds};
    panels.span = shownRange(canvas.preset(), recorded, whole);
    panels.caption = rangeCaption(recorded, panels.span, whole);
    return panels;
}

QString percentText(double share)
{
    const double percent = share * 100;
    return FigureText::tr("%1 %").arg(QLocale().toString(percent, 'f', percent < 9.95 ? 1 : 0));
}

// How uneven the ranks are, a line each, with the definition where there is room for it.
QStringList balanceLines(const FigureCanvas& canvas, double width, const RankPanels& panels)
{
    const RankBalance& balance = panels.balance;
    QStringList uneven;
    if (balance.peakImbalance)
        uneven << FigureText::tr("peaks %1", "imbalance of").arg(percentText(*balance.peakImbalance));
    if (balance.timeImbalance)
        uneven << FigureText::tr("own step times %1", "imbalance of").arg(percentText(*balance.timeImbalance));
    QStringList lines;
    if (!uneven.isEmpty()) {
        const QString all = uneven.join(QStringLiteral(", "));
        const QString defined = FigureText::tr("Imbalance (largest / mean − 1): %1").arg(all);
        lines << (canvas.width(defined, {kSmall}) <= width ? defined : FigureText::tr("Imbalance: %1").arg(all));
    }
    QStringList time; // on one line where it has room
    if (balance.communicationShare)
        time << FigureText::tr("Communication, waiting included: %1 of the steps")
                    .arg(percentText(*balance.communicationShare));
    if (balance.slowest)
        time << FigureText::tr("slowest without communication: rank %1").arg(balance.ranks[*balance.slowest].rank);
    const QString joined = time.join(QStringLiteral(" · "));
    if (!time.isEmpty() && canvas.width(joined, {kSmall}) <= width)
        lines << joined;
    else
        lines << time;
    if (panels.shown.size() < balance.ranks.size())
        lines << FigureText::tr("%1 of %2 ranks are shown").arg(panels.shown.size()).arg(balance.ranks.size());
    return lines;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const RankPanels& panels, double plotWidth)
{
    std::vector<LegendEntry> entries;
    std::vector<ComponentBytes> highest;
    for (const MemoryTimeline& timeline : panels.timelines)
        highest.push_back(mostWithin(timeline, panels.span));
    for (const Component component : componentStackOrder()) {
        std::int64_t most = 0;
        for (const ComponentBytes& own : highest)
            most = std::max(most, componentBytes(own, component));
        if (static_cast<double>(most) >= panels.topBytes * kVisibleShare)
            entries.push_back({componentTitle(component), componentFill(component), {}, {}});
    }
    for (const Phase phase : unnamedPhases(canvas, {&*panels.runs.front().memory}, panels.span, plotWidth)) {
        const Fill fill{phaseStripColor(phase, canvas.colors().dark), Hatch::None, {}};
        entries.push_back({FigureText::tr("Phase: %1").arg(phaseTitle(phase)), fill, {}, {}});
    }
    return entries;
}

struct RanksLayout {
    int columns = 1;
    int rows = 1;
    double columnWidth = 0;
    double left = 0; // of the tick labels and the title
    double heading = 0;
    double strip = 0; // of the phases, above the panels at the top
    double between = 0;
    double bottom = 0;
    double legend = 0;
    double lines = 0; // of words on the balance
    std::vector<LegendEntry> entries;
    QStringList words;
    AxisUnit unit;
};

RanksLayout layoutOf(const FigureCanvas& canvas, double width, const RankPanels& panels)
{
    RanksLayout layout;
    const auto count = static_cast<int>(panels.shown.size());
    const bool wide = width > canvas.fontPt(TextSize::Normal) * 44;
    const bool many = panels.shown.size() > kOneColumn || (canvas.preset().fixedHeight && count > 3);
    layout.columns = wide && many ? 2 : 1;
    layout.rows = (count + layout.columns - 1) / layout.columns;
    layout.columnWidth = (width - (layout.columns - 1) * canvas.gap() * 4) / layout.columns;
    layout.unit = byteUnit(panels.topBytes);
    layout.heading = canvas.lineHeight(kSmall) * 1.15;
    layout.strip = canvas.lineHeight(kSmall) * 1.05;
    layout.between = canvas.gap() * 1.5;
    layout.bottom = bottomAxisHeight(canvas, true);
    const Ticks ticks = roundTicks(0, panels.topBytes * 1.2, 3, layout.unit);
    const double names = canvas.width(FigureText::tr("Phase"), {kSmall}) + canvas.gap();
    layout.left = canvas.lineHeight() + canvas.gap() + std::max(leftAxisWidth(canvas, ticks, false), names);
    layout.entries = legendOf(canvas, panels, layout.columnWidth - layout.left - canvas.gap() * 2);
    layout.legend = legendHeight(canvas, layout.entries, width);
    layout.words = balanceLines(canvas, width, panels);
    layout.lines = canvas.lineHeight(kSmall) * 1.1 * static_cast<double>(layout.words.size()) + canvas.gap();
    return layout;
}

double fixedHeightOf(const FigureCanvas& canvas, const RanksLayout& layout)
{
    return layout.strip + layout.bottom + layout.legend + layout.lines + canvas.gap();
}

double blockHeightOf(const FigureCanvas& canvas, const RunResult& run, double width)
{
    const RanksLayout layout = layoutOf(canvas, width, panelsOf(canvas, run));
    const double plot = std::max(canvas.lineHeight() * 4.2, layout.columnWidth * 0.11);
    return fixedHeightOf(canvas, layout) + layout.rows * (layout.heading + plot + layout.between);
}

// "Rank 1 · node0" and at the right end, in words, what it took and how it stands.
void drawRankLine(FigureCanvas& canvas, const QRectF& line, const RankSection& section, const RankBalance& balance,
                  std::size_t index)
{
    const RankFigures& figures = balance.ranks[index];
    QStringList marks;
    if (balance.fullest == index)
        marks << FigureText::tr("fullest");
    if (balance.slowest == index)
        marks << FigureText::tr("slowest");
    if (section.status == RunStatus::Failed)
        marks << FigureText::tr("failed");
    else if (section.status != RunStatus::Complete)
        marks << FigureText::tr("ended early");
    const double y = line.center().y();
    double right = line.right();
    for (auto mark = marks.crbegin(); mark != marks.crend(); ++mark) {
        const QRectF text = canvas.textBox({right - canvas.gap() * 0.8, y}, *mark, Qt::AlignRight, {kSmall, true});
        canvas.roundedBox(text.adjusted(-canvas.gap() * 0.8, 0, canvas.gap() * 0.8, 0), canvas.colors().background,
                          canvas.colors().axis);
        canvas.text({right - canvas.gap() * 0.8, y}, *mark, Qt::AlignRight, {kSmall, true});
        right = text.left() - canvas.gap() * 2;
    }
    const QString number = QString::number(section.rank);
    const QString name = FigureText::tr("Rank %1").arg(number);
    const QRectF named = canvas.text({line.left(), y}, name, Qt::AlignLeft, {kSmall, true});
    QStringList facts;
    if (figures.stepSeconds)
        facts << FigureText::tr("step %1").arg(secondsText(*figures.stepSeconds));
    if (figures.communicationShare)
        facts << FigureText::tr("comm. %1", "short for communication").arg(percentText(*figures.communicationShare));
    const QString dot = QStringLiteral(" · ");
    QString said = facts.join(dot);
    const double room = right - named.right() - canvas.gap() * 2;
    // The host goes first where there is no room for all.
    const QString host = QString::fromStdString(section.host);
    if (!host.isEmpty() && canvas.width(host + dot + said, {kSmall}) <= room)
        said = said.isEmpty() ? host : host + dot + said;
    canvas.text({named.right() + canvas.gap() * 2, y}, canvas.elided(said, room, {kSmall}), Qt::AlignLeft,
                {kSmall, false, true});
}

struct RankPlot {
    double plot = 0; // height of a panel's axes
    double yHigh = 1;
    Ticks ticks;
};

RankPlot plotOf(const FigureCanvas& canvas, const RankPanels& panels, const RanksLayout& layout, double height)
{
    RankPlot out;
    const double pitch = (height - fixedHeightOf(canvas, layout)) / layout.rows;
    out.plot = std::max(pitch - layout.heading - layout.between, canvas.lineHeight());
    // Head room for the words at the peak.
    const double head = std::min(0.4, 1.5 * canvas.lineHeight(kSmall) / out.plot);
    out.yHigh = panels.topBytes / (1 - head);
    const int count = std::clamp(static_cast<int>(out.plot / (canvas.lineHeight(kSmall) * 1.5)), 2, 5);
    out.ticks = roundTicks(0, out.yHigh, count, layout.unit);
    const double highest = out.yHigh * (1 - canvas.fontPt(kSmall) * 0.6 / out.plot);
    if (!out.ticks.values.empty() && out.ticks.values.back() > highest)
        out.ticks.labels.back().clear();
    return out;
}

void drawTimeAxis(FigureCanvas& canvas, const AxisArea& area, bool labelled)
{
    const AxisUnit unit{1, QStringLiteral("s")};
    const int count = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(kSmall) * 6)));
    Ticks ticks = roundTicks(area.xLow, area.xHigh, count, unit);
    if (!labelled)
        ticks.labels.fill(QString());
    drawBottomAxis(canvas, area, ticks, labelled ? FigureText::tr("Time (%1)").arg(unit.name) : QString());
}

void drawRank(FigureCanvas& canvas, const QRectF& cell, const RunResult& run, const RankPanels& panels,
              const RanksLayout& layout, const RankPlot& plot, std::size_t place, bool top, bool labelled)
{
    const std::size_t index = panels.shown[place];
    TimelinePanel panel;
    panel.run = &panels.runs[place];
    panel.timeline = &panels.timelines[place];
    panel.area.rect = QRectF(cell.left() + layout.left, cell.bottom() - plot.plot,
                             cell.width() - layout.left - canvas.gap() * 2, plot.plot);
    panel.area.xLow = panels.span.begin;
    panel.area.xHigh = panels.span.end;
    panel.area.yHigh = plot.yHigh;
    panel.yTicks = plot.ticks;
    panel.stripHeight = top ? layout.strip : 0;
    panel.stepRow = false;
    const QRectF line(panel.area.rect.left(), cell.top(), panel.area.rect.width(), layout.heading);
    drawRankLine(canvas, line, run.ranks[index], panels.balance, index);
    if (panel.timeline->size() > 0)
        drawTimelinePanel(canvas, panel);
    else
        canvas.text(panel.area.rect.center(), FigureText::tr("no memory record"), Qt::AlignHCenter,
                    {kSmall, false, true});
    drawTimeAxis(canvas, panel.area, labelled);
}

void drawBlock(FigureCanvas& canvas, const QRectF& rect, const RunResult& run)
{
    const RankPanels panels = panelsOf(canvas, run);
    const RanksLayout layout = layoutOf(canvas, rect.width(), panels);
    const RankPlot plot = plotOf(canvas, panels, layout, rect.height());
    const double pitch = layout.heading + plot.plot + layout.between;
    const auto count = static_cast<int>(panels.shown.size());
    for (int i = 0; i < count; ++i) {
        const int row = i % layout.rows; // down the first column, then down the second
        const double x = rect.left() + (i / layout.rows) * (layout.columnWidth + canvas.gap() * 4);
        const double extra = row == 0 ? layout.strip : 0; // the uppermost has the phases between its name and its plot
        const double y = rect.top() + row * pitch + (layout.strip - extra);
        const QRectF cell(x, y, layout.columnWidth, pitch + extra - layout.between);
        drawRank(canvas, cell, run, panels, layout, plot, static_cast<std::size_t>(i), row == 0,
                 row + 1 == layout.rows || i + 1 == count);
    }
    canvas.verticalText({rect.left() + canvas.lineHeight() / 2, rect.top() + layout.strip + layout.rows * pitch / 2},
                        FigureText::tr("Memory (%1)").arg(layout.unit.name));
    double y = rect.bottom() - layout.legend - layout.lines + canvas.gap() / 2;
    for (const QString& words : layout.words) {
        y += canvas.lineHeight(kSmall) * 1.1;
        canvas.text({rect.left(), y - canvas.lineHeight(kSmall) * 0.55}, canvas.elided(words, rect.width(), {kSmall}),
                    Qt::AlignLeft, {kSmall});
    }
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - layout.legend, rect.width(), layout.legend), layout.entries);
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    constexpr double kLow = 0.6;
    return blocksOfRuns(results, [&canvas](const RunResult& run) {
        FigureBlock block;
        if (const QStringList caption = panelsOf(canvas, run).caption; !caption.isEmpty())
            block.above = captionPart(canvas, caption);
        block.panels.push_back(
            {QString(), [&canvas, &run](double width) { return blockHeightOf(canvas, run, width); },
             [&run](FigureCanvas& target, const QRectF& rect, const QString&) { drawBlock(target, rect, run); }, kLow});
        return block;
    });
}

// One line an event, by rank; several runs are told apart by a first column.
std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    const bool several = results.size() > 1;
    std::string text;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string run = several ? csvCell(labels[i].toStdString()) + "," : std::string();
        for (const RankSection& rank : results[i]->ranks) {
            std::istringstream lines(timelineCsv(rank.memory ? rank.memory->timeline : TimelineData{}));
            std::string line;
            for (bool header = true; std::getline(lines, line); header = false) {
                if (!header)
                    text += run + std::to_string(rank.rank) + "," + line + "\n";
                else if (text.empty())
                    text += (several ? "run,rank," : "rank,") + line + "\n";
            }
        }
    }
    return text;
}

} // namespace
} // namespace memory_ranks_figure

constinit const FigureKind kMemoryRanksFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory of every rank"),
                                              &memory_ranks_figure::checkRanks, &memory_ranks_figure::csv,
                                              &memory_ranks_figure::blocks};

} // namespace peakscope
