// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/memory/timeline_panel.h"

#include "core/results/component_reading.h"
#include "core/results/prediction_bound.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/timeline/timeline_bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace peakscope {

namespace {

constexpr TextSize kPanelText = TextSize::Small;
// Columns of the stack, a point of paper: finer than any printer's eye would see.
constexpr double kColumnsPerPoint = 4;
constexpr double kThinnestPhasePt = 1; // thinner ones are gathered
constexpr double kPhaseWindowPt = 8;

QString shortPhaseTitle(Phase phase)
{
    switch (phase) {
    case Phase::Forward:
        return FigureText::tr("Fwd", "short for forward");
    case Phase::Backward:
        return FigureText::tr("Bwd", "short for backward");
    case Phase::OptimizerStep:
        return FigureText::tr("Opt", "short for optimiser step");
    case Phase::OptimizerSetup:
        return FigureText::tr("Set-up", "short for optimiser set-up");
    case Phase::Evaluate:
        return FigureText::tr("Eval", "short for evaluate");
    default:
        return phaseTitle(phase);
    }
}

// The longest name that fits; empty where none does.
QString fittingPhaseName(const FigureCanvas& canvas, Phase phase, double width)
{
    const double room = width - canvas.gap();
    for (const QString& name : {phaseTitle(phase), shortPhaseTitle(phase)}) {
        if (canvas.width(name, {kPanelText}) <= room)
            return name;
    }
    return {};
}

void drawRowName(FigureCanvas& canvas, const TimelinePanel& panel, double y, const QString& name)
{
    canvas.text({panel.area.rect.left() - canvas.gap(), y}, name, Qt::AlignRight, {kPanelText, false, true});
}

// What of it lies within the axis; nothing where none does.
std::optional<TimeSpan> seenPart(const AxisArea& area, const PhaseSpan& span)
{
    const TimeSpan seen{std::max(span.startSeconds, area.xLow), std::min(span.endSeconds, area.xHigh)};
    const bool outside = span.endSeconds < area.xLow || span.startSeconds > area.xHigh;
    return outside ? std::nullopt : std::optional(seen);
}

void drawPhaseRow(FigureCanvas& canvas, const TimelinePanel& panel, const std::vector<PhaseSpan>& spans)
{
    const AxisArea& area = panel.area;
    const bool dark = canvas.colors().dark;
    const double bottom = area.rect.top();
    const double top = bottom - panel.stripHeight;
    std::vector<PhasePiece> pieces;
    for (const PhaseSpan& span : spans) {
        if (const auto seen = seenPart(area, span))
            pieces.push_back({span.phase, area.x(seen->begin), area.x(seen->end)});
    }
    for (const PhaseBand& band : gatherPhases(pieces, kThinnestPhasePt, kPhaseWindowPt)) {
        const double width = band.right - band.left;
        if (band.isOne())
            canvas.rect(QRectF(band.left, area.rect.top(), width, area.rect.height()), phaseTint(band.main(), dark));
        double y = top;
        for (const auto& [phase, share] : band.shares) {
            canvas.rect(QRectF(band.left, y, width, panel.stripHeight * share), phaseStripColor(phase, dark));
            y += panel.stripHeight * share;
        }
        if (band.isOne() && panel.stripHeight > 0)
            canvas.text({(band.left + band.right) / 2, (top + bottom) / 2},
                        fittingPhaseName(canvas, band.main(), width), Qt::AlignHCenter, {kPanelText});
    }
    if (!pieces.empty() && panel.stripHeight > 0)
        drawRowName(canvas, panel, (top + bottom) / 2, FigureText::tr("Phase"));
}

std::vector<StepBand> bandsOf(const FigureCanvas& canvas, const TimelinePanel& panel)
{
    std::vector<StepBand> steps;
    for (const PhaseSpan& span : stepSpans(*panel.run->memory)) {
        if (const auto seen = seenPart(panel.area, span))
            steps.push_back({panel.area.x(seen->begin), panel.area.x(seen->end), span.step, span.step});
    }
    const auto room = [&canvas](const StepBand& band) {
        return canvas.width(stepBandText(band), {kPanelText}) + canvas.gap() * 1.5;
    };
    return gatherSteps(steps, room, canvas.gap() * 2);
}

// Numbers of the steps over their stretches, of a group of them where they are thin: "1–100".
void drawStepRow(FigureCanvas& canvas, const TimelinePanel& panel, const std::vector<StepBand>& steps)
{
    if (steps.empty())
        return;
    const AxisArea& area = panel.area;
    const double bottom = area.rect.top() - panel.stripHeight;
    const double top = bottom - panel.stripHeight;
    const double y = (top + bottom) / 2;
    const auto mark = [&](double x) {
        canvas.line({x, top + canvas.gap() / 2}, {x, bottom}, canvas.colors().axis, canvas.hairline());
    };
    double free = area.rect.left() - canvas.gap();
    double end = steps.front().left;
    for (const StepBand& step : steps) {
        if (step.left > end + canvas.gap()) // the end of the stretch before
            mark(end);
        mark(step.left);
        end = step.right;
        const double x = (step.left + step.right) / 2;
        const QString number = stepBandText(step);
        const QRectF box = canvas.textBox({x, y}, number, Qt::AlignHCenter, {kPanelText});
        const bool inside = box.left() >= area.rect.left() && box.right() <= area.rect.right();
        const bool lone = steps.size() == 1 || box.width() <= step.width();
        if (box.left() < free + canvas.gap() / 2 || !inside || !lone)
            continue;
        canvas.text({x, y}, number, Qt::AlignHCenter, {kPanelText});
        free = box.right();
    }
    mark(end);
    drawRowName(canvas, panel, y, FigureText::tr("Step"));
}

void drawStepMarks(FigureCanvas& canvas, const TimelinePanel& panel, const std::vector<StepBand>& steps)
{
    const AxisArea& area = panel.area;
    double last = -1e9;
    for (const StepBand& step : steps) {
        if (step.left - last < canvas.gap() * 4)
            continue;
        canvas.line({step.left, area.rect.top()}, {step.left, area.rect.bottom()}, canvas.colors().axis,
                    canvas.hairline(), Dash::Dotted);
        last = step.left;
    }
}

// A column of the stack: where it begins, and the composition at its highest total.
struct StackColumn {
    double left = 0;
    const MemoryTimeline::Column* sample = nullptr; // not owned
};

// What a column of a point would draw if it were drawn in quarters, in points of height: all ways up and down.
double wayOf(const AxisArea& area, const MemoryTimeline::Column* first, const MemoryTimeline::Column* last)
{
    double way = 0;
    for (const auto* column = first; column != last; ++column) {
        const auto high = static_cast<double>(column->totalBytes), low = static_cast<double>(column->minBytes);
        way += std::abs(area.y(high) - area.y(low));
        if (column != first)
            way += std::abs(area.y(high) - area.y(static_cast<double>((column - 1)->totalBytes)));
    }
    return way;
}

// The stack as outlines: for every component the line of the sum up to and including it, left to right.
struct Stack {
    std::vector<Component> components;
    std::vector<QPolygonF> tops;  // as long as components
    std::vector<QPolygonF> edges; // of the whole stack, where it is calm enough for a line
    QPolygonF floor;
};

// Appends a flat piece; equal neighbours become one.
void addPiece(QPolygonF& line, double left, double right, double y)
{
    if (!line.isEmpty() && line.back().y() == y)
        line.back().setX(right);
    else
        line << QPointF(left, y) << QPointF(right, y);
}

// Quarters of a point where the stack is calm; where it goes up and down within a point, the highest of the point: the
// envelope, in which no peak is lost.
std::vector<StackColumn> stackColumns(const AxisArea& area, const std::vector<MemoryTimeline::Column>& samples,
                                      double left, double width)
{
    constexpr std::size_t kPerPoint = static_cast<std::size_t>(kColumnsPerPoint);
    std::vector<StackColumn> columns;
    for (std::size_t begin = 0; begin < samples.size(); begin += kPerPoint) {
        const std::size_t end = std::min(begin + kPerPoint, samples.size());
        const auto* first = samples.data() + begin;
        const auto* last = samples.data() + end;
        const auto lower = [](const auto& a, const auto& b) { return a.totalBytes < b.totalBytes; };
        const auto* highest = std::max_element(first, last, lower);
        const auto* lowest = std::min_element(first, last, lower);
        const double range = std::abs(area.y(static_cast<double>(highest->totalBytes)) -
                                      area.y(static_cast<double>(lowest->totalBytes)));
        constexpr double kBusy = 2.5; // a way so much longer than the range goes up and down more than once
        const bool busy = wayOf(area, first, last) > std::max(kBusy * range, 1.0);
        for (const auto* sample = first; sample != last; ++sample) {
            columns.push_back({left + static_cast<double>(sample - samples.data()) * width, busy ? highest : sample});
            if (busy)
                break;
        }
    }
    return columns;
}

// The line along the top of the whole stack, cut out where it would go up and down so often that it were all ink.
std::vector<QPolygonF> calmEdges(const QPolygonF& top)
{
    constexpr double kReachPt = 6;
    constexpr double kBusy = 2.5;
    std::vector<bool> busy(static_cast<std::size_t>(top.size()));
    for (qsizetype i = 0; i < top.size(); ++i) {
        double way = 0, high = top[i].y(), low = top[i].y();
        qsizetype k = i;
        for (; k + 1 < top.size() && top[k + 1].x() - top[i].x() <= kReachPt; ++k) {
            way += std::abs(top[k + 1].y() - top[k].y());
            high = std::min(high, top[k + 1].y());
            low = std::max(low, top[k + 1].y());
        }
        if (low - high > 1 && way > kBusy * (low - high))
            std::fill(busy.begin() + i, busy.begin() + k + 1, true);
    }
    std::vector<QPolygonF> edges(1);
    for (qsizetype i = 0; i < top.size(); ++i) {
        if (!busy[static_cast<std::size_t>(i)])
            edges.back() << top[i];
        else if (!edges.back().isEmpty())
            edges.emplace_back();
    }
    return edges;
}

// Where the run ends on the axis.
double shownEnd(const TimelinePanel& panel)
{
    return std::min(panel.area.xHigh, std::max(panel.timeline->endSeconds(), endSeconds(*panel.run->memory)));
}

Stack stackOf(const TimelinePanel& panel)
{
    const AxisArea& area = panel.area;
    const double begin = std::max(0.0, area.xLow), end = shownEnd(panel);
    Stack stack;
    if (!(begin < end))
        return stack;
    const double left = area.x(begin);
    const int count = std::max(1, static_cast<int>((area.x(end) - left) * kColumnsPerPoint));
    const std::vector<MemoryTimeline::Column> samples = panel.timeline->sample(begin, end, count);
    for (const Component component : componentStackOrder()) {
        if (componentBytes(panel.timeline->maxComponents(), component) > 0)
            stack.components.push_back(component);
    }
    stack.tops.resize(stack.components.size());
    const double width = (area.x(end) - left) / std::max<double>(static_cast<double>(samples.size()), 1);
    const std::vector<StackColumn> columns = stackColumns(area, samples, left, width);
    // Finer than any device draws: what differs less is one piece.
    const auto placed = [&area](double bytes) { return std::round(area.y(bytes) * 20) / 20; };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double right = i + 1 < columns.size() ? columns[i + 1].left : area.x(end);
        double sum = 0;
        for (std::size_t k = 0; k < stack.components.size(); ++k) {
            sum += static_cast<double>(componentBytes(columns[i].sample->components, stack.components[k]));
            addPiece(stack.tops[k], columns[i].left, right, placed(sum));
        }
    }
    if (!stack.tops.empty())
        stack.edges = calmEdges(stack.tops.back());
    stack.floor << QPointF(left, area.y(0)) << QPointF(area.x(end), area.y(0));
    return stack;
}

QPolygonF between(const QPolygonF& upper, const QPolygonF& lower)
{
    QPolygonF band = upper;
    for (auto point = lower.crbegin(); point != lower.crend(); ++point)
        band << *point;
    return band;
}

// From the top layer down, each to the floor: no seam can show the background between two layers.
void drawStack(FigureCanvas& canvas, const TimelinePanel& panel)
{
    const Stack stack = stackOf(panel);
    for (std::size_t k = stack.components.size(); k-- > 0;) {
        const Fill fill = stackFill(stack.components[k], panel.inferred);
        canvas.polygon(between(stack.tops[k], stack.floor), fill.color);
        canvas.hatch(between(stack.tops[k], k > 0 ? stack.tops[k - 1] : stack.floor), fill);
    }
    for (const QPolygonF& edge : stack.edges)
        canvas.polyline(edge, canvas.colors().axis, canvas.hairline());
}

// Extra bands that the experiment asked for, as lines; the highest value within each column is kept.
void drawMarks(FigureCanvas& canvas, const TimelinePanel& panel)
{
    const AxisArea& area = panel.area;
    int index = 0;
    for (const MarkUsage& mark : panel.run->memory->marks) {
        if (mark.timeSeconds.empty())
            continue;
        QPolygonF line;
        double last = 0;
        for (std::size_t i = 0; i < std::min(mark.timeSeconds.size(), mark.bytes.size()); ++i) {
            if (mark.timeSeconds[i] > area.xHigh)
                break;
            const double x = std::max(area.x(mark.timeSeconds[i]), area.rect.left());
            const double y = area.y(static_cast<double>(mark.bytes[i]));
            if (x <= area.rect.left())
                line.clear(); // what held before the axis begins
            if (!line.isEmpty() && x - line.back().x() < 1 / kColumnsPerPoint)
                line.back().setY(std::min(line.back().y(), y));
            else
                line << QPointF(x, line.isEmpty() ? y : last) << QPointF(x, y);
            last = y;
        }
        if (!line.isEmpty()) // what was reached last holds until the run ends
            line << QPointF(std::max(line.back().x(), area.x(shownEnd(panel))), last);
        canvas.polyline(line, canvas.colors().text, canvas.hairline() * 2, markDash(index++));
    }
}

// Text on its own ground that keeps clear of what was placed before.
class LabelPlacer
{
public:
    LabelPlacer(FigureCanvas& canvas, const QRectF& bounds) : m_canvas(canvas), m_bounds(bounds) {}

    void block(const QRectF& box) { m_taken.push_back(box); }
    // What a label may cover if it brings its own ground.
    void cover(const QRectF& box) { m_coverable.push_back(box); }

    struct Candidate {
        QPointF anchor;
        Qt::AlignmentFlag align;
        bool boxed = false; // on a ground of its own, where it lies on the data
    };
    // The first candidate that lies inside and free; else, if the text must stand, the first one inside.
    void place(const QString& text, const std::vector<Candidate>& candidates, const TextStyle& style, bool must)
    {
        const Candidate* chosen = nullptr;
        for (const Candidate& candidate : candidates) {
            const QRectF box = boxOf(candidate, text, style);
            if (!m_bounds.contains(box))
                continue;
            if (free(box)) {
                chosen = &candidate;
                break;
            }
            if (must && !chosen)
                chosen = &candidate;
        }
        if (!chosen)
            return;
        const QRectF box = boxOf(*chosen, text, style);
        if (chosen->boxed || !free(box) || meets(m_coverable, box))
            m_canvas.roundedBox(box, m_canvas.colors().background, m_canvas.colors().grid);
        m_canvas.text(chosen->anchor, text, chosen->align, style);
        block(box);
    }

private:
    QRectF boxOf(const Candidate& candidate, const QString& text, const TextStyle& style) const
    {
        const double pad = m_canvas.gap() * 0.6;
        return m_canvas.textBox(candidate.anchor, text, candidate.align, style).adjusted(-pad, -pad / 3, pad, pad / 3);
    }
    static bool meets(const std::vector<QRectF>& boxes, const QRectF& box)
    {
        return std::any_of(boxes.begin(), boxes.end(), [&](const QRectF& other) { return other.intersects(box); });
    }
    bool free(const QRectF& box) const { return !meets(m_taken, box); }

    FigureCanvas& m_canvas;
    QRectF m_bounds;
    std::vector<QRectF> m_taken;
    std::vector<QRectF> m_coverable;
};

void drawReferenceLines(FigureCanvas& canvas, const TimelinePanel& panel, LabelPlacer& labels)
{
    const AxisArea& area = panel.area;
    for (const ReferenceLine& reference : referenceLines(*panel.run)) {
        if (static_cast<double>(reference.bytes) > area.yHigh)
            continue;
        const double y = area.y(static_cast<double>(reference.bytes));
        const QColor color = reference.limit ? canvas.colors().warning : canvas.colors().text;
        canvas.line({area.rect.left(), y}, {area.rect.right(), y}, color, canvas.hairline() * 1.6, reference.dash);
        labels.block(QRectF(area.rect.left(), y - 1, area.rect.width(), 2));
    }
}

// After all lines are there, so that no label lies on one. A level above the scale is named at the upper edge. Of lines
// that are close the upper one is named above it and the lower one below, one between them on itself.
void nameReferenceLines(FigureCanvas& canvas, const TimelinePanel& panel, LabelPlacer& labels)
{
    const AxisArea& area = panel.area;
    const double line = canvas.lineHeight(kPanelText);
    const double right = area.rect.right() - canvas.gap();
    const double left = area.rect.left() + canvas.gap() * 2;
    const std::vector<ReferenceLine> references = referenceLines(*panel.run);
    const auto yOf = [&](const ReferenceLine& reference) { return area.y(static_cast<double>(reference.bytes)); };
    for (const ReferenceLine& reference : references) {
        const TextStyle style{kPanelText, false, false,
                              reference.limit ? canvas.colors().warning : canvas.colors().text};
        QString text = FigureText::tr("%1 %2", "budget 4.00 GiB")
                           .arg(reference.name, bytesText(static_cast<double>(reference.bytes)));
        double above = area.rect.top() + line * 0.6;
        double below = above + line;
        bool freeAbove = true, freeBelow = true;
        const double y = yOf(reference);
        if (static_cast<double>(reference.bytes) > area.yHigh) {
            text += QStringLiteral(" ↑");
        } else {
            above = y - line * 0.75;
            below = y + line * 0.75;
            for (const ReferenceLine& other : references) {
                const double to = yOf(other) - y; // below zero: it is higher
                freeAbove = freeAbove && !(to < 0 && -to < line * 1.25);
                freeBelow = freeBelow && !(to > 0 && to < line * 1.25);
            }
        }
        std::vector<LabelPlacer::Candidate> candidates;
        if (freeAbove)
            candidates = {{{right, above}, Qt::AlignRight}, {{left, above}, Qt::AlignLeft}};
        if (freeBelow) {
            candidates.push_back({{right, below}, Qt::AlignRight, true});
            candidates.push_back({{left, below}, Qt::AlignLeft, true});
        }
        const bool between = candidates.empty();
        if (between)
            candidates.push_back({{left, y}, Qt::AlignLeft, true});
        labels.place(text, candidates, style, between);
    }
}

void drawPeak(FigureCanvas& canvas, const TimelinePanel& panel, LabelPlacer& labels)
{
    const AxisArea& area = panel.area;
    if (panel.timeline->peakSeconds() < area.xLow || panel.timeline->peakSeconds() > area.xHigh)
        return;
    const QPointF peak(area.x(panel.timeline->peakSeconds()), area.y(static_cast<double>(panel.timeline->peakBytes())));
    const double size = canvas.fontPt(kPanelText) * 0.55;
    const QPolygonF marker{peak, peak + QPointF(-size / 2, -size), peak + QPointF(size / 2, -size)};
    canvas.polygon(marker, canvas.colors().text);
    labels.block(QRectF(peak.x() - size / 2, peak.y() - size, size, size));
    const QString text = FigureText::tr("peak %1").arg(bytesText(static_cast<double>(panel.timeline->peakBytes())));
    const double line = canvas.lineHeight(kPanelText);
    const double above = peak.y() - line * 0.55;
    const double below = peak.y() + line;
    const double right = peak.x() + size;
    const double left = peak.x() - size;
    labels.place(text,
                 {{{right, above}, Qt::AlignLeft},
                  {{left, above}, Qt::AlignRight},
                  {{right, below}, Qt::AlignLeft, true},
                  {{left, below}, Qt::AlignRight, true}},
                 {kPanelText, true}, true);
}

} // namespace

std::vector<PhaseSpan> phaseSpans(const MemorySection& memory)
{
    std::vector<PhaseSpan> spans;
    const double end = endSeconds(memory);
    for (std::size_t i = 0; i < memory.phases.size(); ++i) {
        const PhaseMark& mark = memory.phases[i];
        const double until = i + 1 < memory.phases.size() ? memory.phases[i + 1].timeSeconds : end;
        if (!spans.empty() && spans.back().phase == mark.phase && spans.back().step == mark.step)
            spans.back().endSeconds = until;
        else
            spans.push_back({mark.phase, mark.step, mark.timeSeconds, until});
    }
    return spans;
}

std::vector<PhaseSpan> stepSpans(const MemorySection& memory)
{
    std::vector<PhaseSpan> steps;
    for (const PhaseSpan& span : phaseSpans(memory)) {
        // What comes before the first step and after the last one is none; such marks have a step below zero.
        const bool training = span.phase == Phase::Forward || span.phase == Phase::Backward ||
                              span.phase == Phase::Norms || span.phase == Phase::OptimizerStep ||
                              span.phase == Phase::Data;
        if (span.step < 0 || !training)
            continue;
        if (!steps.empty() && steps.back().step == span.step)
            steps.back().endSeconds = span.endSeconds;
        else
            steps.push_back(span);
    }
    return steps;
}

std::vector<Phase> unnamedPhases(const FigureCanvas& canvas, const std::vector<const MemorySection*>& rows,
                                 const TimeSpan& shown, double width)
{
    const double thinnest = canvas.hairline() * 1.5; // thinner ones are not seen
    std::array<double, kPhaseCount> seen{};          // all strips of it: thin ones lie beside one another
    std::array<bool, kPhaseCount> named{};
    for (const MemorySection* memory : rows) {
        for (const PhaseSpan& span : phaseSpans(*memory)) {
            const double length = std::min(span.endSeconds, shown.end) - std::max(span.startSeconds, shown.begin);
            const double share = std::max(length, 0.0) / (shown.end - shown.begin);
            const auto phase = static_cast<std::size_t>(span.phase);
            seen[phase] += share * width;
            named[phase] = named[phase] || !fittingPhaseName(canvas, span.phase, share * width).isEmpty();
        }
    }
    std::vector<Phase> unnamed;
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        if (seen[phase] > thinnest && !named[phase])
            unnamed.push_back(static_cast<Phase>(phase));
    }
    return unnamed;
}

ComponentBytes mostWithin(const MemoryTimeline& timeline, const TimeSpan& shown)
{
    constexpr int kColumns = 2000; // more than a page has
    ComponentBytes most{};
    for (const MemoryTimeline::Column& column : timeline.sample(shown.begin, shown.end, kColumns)) {
        for (std::size_t i = 0; i < most.size(); ++i)
            most[i] = std::max(most[i], column.components[i]);
    }
    return most;
}

std::vector<ReferenceLine> referenceLines(const RunResult& run)
{
    std::vector<ReferenceLine> lines;
    if (const std::int64_t budget = budgetBytes(run); budget > 0)
        lines.push_back({FigureText::tr("budget"), budget, Dash::Dashed, true});
    // On a CPU the allocator hands out what is asked for; a line on top of the peak would say nothing.
    constexpr double kWorthALine = 1.005;
    const MemorySection& memory = *run.memory;
    if (static_cast<double>(memory.peakReservedBytes) > kWorthALine * static_cast<double>(memory.peakBytes))
        lines.push_back({FigureText::tr("reserved"), memory.peakReservedBytes, Dash::Dotted, false});
    if (run.prediction && run.prediction->peakBytes > 0)
        lines.push_back({predictionIsBound(run) ? FigureText::tr("planned, at most") : FigureText::tr("predicted peak"),
                         run.prediction->peakBytes, Dash::Dashed, false});
    return lines;
}

double rowNamesWidth(const FigureCanvas& canvas)
{
    return std::max(canvas.width(FigureText::tr("Step"), {kPanelText}),
                    canvas.width(FigureText::tr("Phase"), {kPanelText})) +
           canvas.gap();
}

Dash markDash(int index)
{
    constexpr Dash kDashes[] = {Dash::Solid, Dash::Dashed, Dash::Dotted};
    return kDashes[index % 3];
}

Fill stackFill(Component component, bool inferred)
{
    Fill fill = componentFill(component);
    if (inferred)
        fill.hatch = isDoubtful(ComponentDoubt::Inferred, component) ? Hatch::Rising : Hatch::None;
    return fill;
}

void drawTimelinePanel(FigureCanvas& canvas, const TimelinePanel& panel)
{
    if (!(panel.area.rect.height() >= 1 && panel.area.rect.width() >= 1))
        return; // no room for a picture
    const std::vector<StepBand> steps = bandsOf(canvas, panel);
    drawPhaseRow(canvas, panel, phaseSpans(*panel.run->memory));
    if (panel.stepRow)
        drawStepRow(canvas, panel, steps);
    drawHorizontalGrid(canvas, panel.area, panel.yTicks);
    drawStack(canvas, panel);
    drawStepMarks(canvas, panel, steps);
    drawMarks(canvas, panel);
    LabelPlacer labels(canvas, panel.area.rect);
    for (const StepBand& step : steps)
        labels.cover(QRectF(step.left - 0.5, panel.area.rect.top(), 1, panel.area.rect.height()));
    drawReferenceLines(canvas, panel, labels);
    drawPeak(canvas, panel, labels);
    nameReferenceLines(canvas, panel, labels);
    drawLeftAxis(canvas, panel.area, panel.yTicks, QString());
}

} // namespace peakscope
