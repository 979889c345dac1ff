// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_painter.h"

#include "core/results/component_reading.h"

#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/timeline_bands.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace peakscope {

namespace {

struct PainterText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::TimelinePainter)
};

// Device pixels per logical pixel of what is painted on, be it a screen buffer or an image.
double deviceScale(const QPainter& painter)
{
    return std::max(1.0, std::abs(painter.deviceTransform().m11()));
}

constexpr double kTickRoom = 8;        // pixels, that the marks of an axis reach into the plot
constexpr double kTagPadding = 8;      // left and right of its text
constexpr double kThinnestPhase = 1.5; // narrower ones are gathered: pixels
constexpr double kPhaseWindow = 8;
constexpr double kThinnestStep = 4;
constexpr double kNarrowestEdge = 3; // of the stack's flat pieces that have an outline

constexpr double kPeakHeadRoom = 1.14; // above the peak, for its label
constexpr double kBudgetInView = 1.75; // a budget up to this times the peak is part of the picture
constexpr double kPredictionInView = 3;
constexpr double kLeastSeconds = 1e-3; // of a timeline whose events are all at one time
constexpr double kLeastBytes = 1024;

struct Band {
    double left = 0, right = 0; // pixels, within the rect
    std::size_t mark = 0;       // index of the phase mark that begins it
};

// The pieces [mark, next mark) visible in the rect; `joins(a, b)` tells whether mark b continues a's band.
template <typename Joins>
std::vector<Band> visibleBands(const TimelineScene& scene, const PlotGeometry& geometry, Joins joins)
{
    std::vector<Band> bands;
    const auto& marks = scene.phases;
    const double end = scene.timeline
                           ? std::max(scene.timeline->endSeconds(), marks.empty() ? 0 : marks.back().timeSeconds)
                           : geometry.x1;
    const auto first = std::upper_bound(marks.begin(), marks.end(), geometry.x0,
                                        [](double t, const PhaseMark& mark) { return t < mark.timeSeconds; });
    std::size_t i = first == marks.begin() ? 0 : static_cast<std::size_t>(first - marks.begin()) - 1;
    // The band may have begun with an earlier mark that this one joins; its left edge is cut off anyway.
    while (i < marks.size() && marks[i].timeSeconds <= geometry.x1) {
        std::size_t next = i + 1;
        while (next < marks.size() && joins(marks[i], marks[next]))
            ++next;
        const double until = next < marks.size() ? marks[next].timeSeconds : end;
        const double left = std::max(geometry.xPixel(marks[i].timeSeconds), geometry.rect.left());
        const double right = std::min(geometry.xPixel(until), geometry.rect.right());
        if (right > left)
            bands.push_back({left, right, i});
        i = next;
    }
    return bands;
}

std::vector<PhaseBand> phaseBands(const TimelineScene& scene, const PlotGeometry& geometry)
{
    std::vector<PhasePiece> pieces;
    for (const Band& band : visibleBands(scene, geometry, [](const PhaseMark&a, const PhaseMark&b) {
             return a.phase == b.phase && a.step == b.step;
         }))
        pieces.push_back({scene.phases[band.mark].phase, band.left, band.right});
    return gatherPhases(pieces, kThinnestPhase, kPhaseWindow);
}

std::vector<StepBand> stepBands(const TimelineScene& scene, const PlotGeometry& geometry)
{
    std::vector<StepBand> steps;
    for (const Band& band :
         visibleBands(scene, geometry, [](const PhaseMark&a, const PhaseMark&b) { return a.step == b.step; })) {
        const std::int64_t step = scene.phases[band.mark].step;
        if (step >= 0)
            steps.push_back({band.left, band.right, step, step});
    }
    const QFontMetricsF metrics(scene.font);
    return gatherSteps(
        steps, [&metrics](const StepBand& band) { return metrics.horizontalAdvance(stepBandText(band)) + 6; },
        kThinnestStep);
}

void paintStepCurve(QPainter& painter, const PlotGeometry& geometry, const StepCurve& curve, const QPen& pen)
{
    const auto& times = curve.timeSeconds;
    if (times.empty())
        return;
    const auto begin = std::upper_bound(times.begin(), times.end(), geometry.x0);
    std::size_t i = begin == times.begin() ? 0 : static_cast<std::size_t>(begin - times.begin()) - 1;
    QPolygonF line;
    double previousX = -1e300, lastY = 0;
    for (; i < times.size(); ++i) {
        const double x = std::max(geometry.xPixel(times[i]), geometry.rect.left());
        const double y = geometry.yPixel(static_cast<double>(curve.bytes[i]));
        if (!line.isEmpty() && x - previousX >= 1)
            line << QPointF(x, lastY);
        lastY = y;
        // Within one pixel only the highest can be seen.
        if (x - previousX >= 1 || line.isEmpty()) {
            line << QPointF(x, y);
            previousX = x;
        } else {
            line.last().setY(std::min(line.last().y(), y));
        }
        if (times[i] > geometry.x1)
            break;
    }
    line << QPointF(geometry.rect.right(), lastY);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

// Of a text's plate, kept inside the rect; none where that is too narrow.
std::optional<QRectF> tagPlate(const QRectF& inside, QPointF anchor, Qt::Alignment alignment, const QString& text,
                               const TimelineScene& scene)
{
    const QFontMetricsF metrics(scene.font);
    QRectF plate(0, 0, metrics.horizontalAdvance(text) + kTagPadding, metrics.height() + 2);
    if (plate.width() > inside.width())
        return std::nullopt;
    plate.moveLeft(alignment & Qt::AlignRight     ? anchor.x() - plate.width()
                   : alignment & Qt::AlignHCenter ? anchor.x() - plate.width() / 2
                                                  : anchor.x());
    plate.moveTop(alignment & Qt::AlignBottom ? anchor.y() - plate.height() : anchor.y());
    plate.moveLeft(std::clamp(plate.left(), inside.left() + 1, inside.right() - plate.width() - 1));
    plate.moveTop(
        std::clamp(plate.top(), inside.top() + 1, std::max(inside.top() + 1, inside.bottom() - plate.height())));
    return plate;
}

// Text on a plate of the background's colour.
void paintPlate(QPainter& painter, const QRectF& plate, const QString& text, const QColor& color,
                const TimelineScene& scene)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(scene.theme.background);
    painter.drawRoundedRect(plate, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(scene.font);
    painter.setPen(color);
    painter.drawText(plate, Qt::AlignCenter, text);
}

void paintTag(QPainter& painter, const QRectF& inside, QPointF anchor, Qt::Alignment alignment, const QString& text,
              const QColor& color, const TimelineScene& scene)
{
    if (const auto plate = tagPlate(inside, anchor, alignment, text, scene))
        paintPlate(painter, *plate, text, color, scene);
}

// A line across, and on which side of it its tag stands.
struct LimitLine {
    std::int64_t bytes = 0;
    QString text;
    QPen pen;
    bool tagAbove = false;
};

// Of two lines the upper one's tag stands above it, the lower one's below: what is between two tags is between two
// lines. A prediction is dashed, for it is not measured.
std::vector<LimitLine> limitLines(const TimelineScene& scene)
{
    std::vector<LimitLine> lines;
    const bool both = scene.budgetBytes > 0 && scene.predictedBytes > 0;
    const bool predictedOnTop = both && scene.predictedBytes > scene.budgetBytes;
    if (scene.budgetBytes > 0)
        lines.push_back({scene.budgetBytes, PainterText::tr("Budget %1").arg(bytesText(scene.budgetBytes)),
                         QPen(scene.theme.warning, 2), !predictedOnTop});
    if (scene.predictedBytes > 0) {
        QPen pen(scene.theme.accent, 2);
        pen.setDashPattern({5, 3});
        const QString text =
            scene.predictionIsBound ? PainterText::tr("Planned for at most %1") : PainterText::tr("Predicted peak %1");
        lines.push_back({scene.predictedBytes, text.arg(bytesText(scene.predictedBytes)), pen, predictedOnTop});
    }
    return lines;
}

// Clear of another tag: beside it, or under it where there is no room.
QRectF besideTag(QRectF plate, const QRectF& other, bool toTheRight, const QRectF& inside)
{
    const QRectF beside = toTheRight ? plate.translated(other.right() + 4 - plate.left(), 0)
                                     : plate.translated(other.left() - 4 - plate.right(), 0);
    if (inside.contains(beside))
        return beside;
    plate.moveTop(other.bottom() + 2);
    return plate;
}

void paintLimitLines(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    const QRectF& rect = geometry.rect;
    const std::vector<LimitLine> lines = limitLines(scene);
    const auto yOf = [&](const LimitLine& line) {
        return std::round(geometry.yPixel(static_cast<double>(line.bytes)));
    };
    for (const LimitLine& line : lines) {
        if (const double y = yOf(line); y >= rect.top() && y <= rect.bottom()) {
            painter.setPen(line.pen);
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        }
    }
    // On the side where the peak's tag is not.
    const bool left = scene.timeline && geometry.xPixel(scene.timeline->peakSeconds()) > rect.center().x();
    const Qt::Alignment side = left ? Qt::AlignLeft : Qt::AlignRight;
    const double x = left ? rect.left() + kTickRoom : rect.right() - 2;
    std::optional<QRectF> first;
    for (const LimitLine& line : lines) {
        const double y = yOf(line);
        if (y > rect.bottom())
            continue;
        const bool beyond = y < rect.top(); // named at the edge
        // Above the upper one even where that has little room: the tag covers a part of its own line then.
        const bool above =
            !beyond && line.tagAbove && (lines.size() > 1 || y - QFontMetricsF(scene.font).height() - 6 >= rect.top());
        const QString text = beyond ? line.text + QStringLiteral(" ↑") : line.text;
        auto plate = tagPlate(rect,
                              QPointF(x, beyond  ? rect.top() + 2
                                         : above ? y - 2
                                                 : y + 3),
                              side | (above ? Qt::AlignBottom : Qt::AlignTop), text, scene);
        if (!plate)
            continue;
        if (first && first->intersects(*plate))
            plate = besideTag(*plate, *first, left, rect);
        paintPlate(painter, *plate, text, line.pen.color(), scene);
        first = plate;
    }
}

void paintPeak(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    const double t = scene.timeline->peakSeconds();
    const auto bytes = scene.timeline->peakBytes();
    // With components hidden the stack does not reach the peak; a marker in mid-air would mislead.
    if (bytes <= 0 || t < geometry.x0 || t > geometry.x1 || !scene.showsAllComponents())
        return;
    const double x = geometry.xPixel(t), y = geometry.yPixel(static_cast<double>(bytes));
    if (y < geometry.rect.top() || y > geometry.rect.bottom())
        return;
    const QPolygonF triangle({QPointF(x, y - 1), QPointF(x - 5, y - 8), QPointF(x + 5, y - 8)});
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(scene.theme.background, 1));
    painter.setBrush(scene.theme.text);
    painter.drawPolygon(triangle);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintTag(painter, geometry.rect, QPointF(x, y - 10), Qt::AlignHCenter | Qt::AlignBottom,
             PainterText::tr("Peak %1").arg(bytesText(bytes)), scene.theme.text, scene);
}

// For every column the device row of every boundary between visible components, bottom first.
struct StackRows {
    std::vector<Component> components; // bottom to top, visible and ever alive
    std::vector<int> rows;             // column-major: components.size() + 1 boundaries a column
    std::vector<int> totals;           // the row of the total over all components
};

StackRows stackRows(const std::vector<MemoryTimeline::Column>& columns, const PlotGeometry& geometry,
                    const TimelineScene& scene, double scale)
{
    StackRows stack;
    const ComponentBytes& maxima = scene.timeline->maxComponents();
    for (Component component : componentStackOrder()) {
        const auto index = static_cast<std::size_t>(component);
        if (scene.visible[index] && maxima[index] > 0)
            stack.components.push_back(component);
    }
    const double top = geometry.rect.top() * scale - 2, bottom = geometry.rect.bottom() * scale + 2;
    const auto row = [&](std::int64_t bytes) {
        return static_cast<int>(
            std::lround(std::clamp(geometry.yPixel(static_cast<double>(bytes)) * scale, top, bottom)));
    };
    stack.rows.reserve(columns.size() * (stack.components.size() + 1));
    for (const auto& column : columns) {
        std::int64_t sum = 0;
        stack.rows.push_back(row(0));
        for (Component component : stack.components) {
            sum += column.components[static_cast<std::size_t>(component)];
            stack.rows.push_back(row(sum));
        }
        stack.totals.push_back(row(column.totalBytes));
    }
    return stack;
}

} // namespace

StepCurve StepCurve::of(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes)
{
    timeSeconds.resize(std::min(timeSeconds.size(), bytes.size()));
    bytes.resize(timeSeconds.size());
    return {std::move(timeSeconds), std::move(bytes)};
}

bool StepCurve::append(double time, std::int64_t value)
{
    if (!bytes.empty() && bytes.back() == value)
        return false;
    timeSeconds.push_back(timeSeconds.empty() ? time : std::max(time, timeSeconds.back()));
    bytes.push_back(value);
    return true;
}

std::int64_t StepCurve::maximum() const
{
    return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

bool TimelineScene::showsAllComponents() const
{
    return std::find(visible.begin(), visible.end(), false) == visible.end();
}

std::vector<Phase> TimelineScene::phasesPresent() const
{
    if (phases.empty())
        return {};
    // About two pixels: of the whole, and of a step of four, for a look at the steps alone.
    constexpr double kSeenOfAll = 1.0 / 400, kSeenOfStep = 1.0 / 100;
    const double end = std::max(timeline ? timeline->endSeconds() : 0, phases.back().timeSeconds);
    double longestStep = 0;
    for (std::size_t i = 0, begin = 0; i <= phases.size(); ++i) {
        if (i < phases.size() && phases[i].step == phases[begin].step)
            continue;
        if (phases[begin].step >= 0)
            longestStep =
                std::max(longestStep, (i < phases.size() ? phases[i].timeSeconds : end) - phases[begin].timeSeconds);
        begin = i;
    }
    std::array<bool, kPhaseCount> present{};
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const PhaseMark& mark = phases[i];
        const double seconds = (i + 1 < phases.size() ? phases[i + 1].timeSeconds : end) - mark.timeSeconds;
        const bool last = i + 1 == phases.size(); // of a run that goes on it has just begun
        const bool seen =
            last || seconds >= kSeenOfAll * end || (mark.step >= 0 && seconds >= kSeenOfStep * longestStep);
        present[static_cast<std::size_t>(mark.phase)] |= seen;
    }
    std::vector<Phase> list;
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        if (present[phase])
            list.push_back(static_cast<Phase>(phase));
    }
    return list;
}

const PhaseMark* TimelineScene::phaseAt(double timeSeconds) const
{
    const auto after = std::upper_bound(phases.begin(), phases.end(), timeSeconds,
                                        [](double t, const PhaseMark& mark) { return t < mark.timeSeconds; });
    return after == phases.begin() ? nullptr : &*(after - 1);
}

std::int64_t StepCurve::at(double time) const
{
    const auto after = std::upper_bound(timeSeconds.begin(), timeSeconds.end(), time);
    return after == timeSeconds.begin() ? 0 : bytes[static_cast<std::size_t>(after - timeSeconds.begin()) - 1];
}

PlotArea timelineBounds(const TimelineScene& scene, bool isLive)
{
    PlotArea bounds{0, 1, 0, kLeastBytes * 1024};
    const MemoryTimeline* timeline = scene.timeline;
    if (timeline && timeline->size() > 0) {
        double begin = timeline->startSeconds(), end = timeline->endSeconds();
        if (!scene.phases.empty()) {
            begin = std::min(begin, scene.phases.front().timeSeconds);
            end = std::max(end, scene.phases.back().timeSeconds);
        }
        for (const TimelineInstant& instant : scene.instants)
            end = std::max(end, instant.place);
        // Times count from the run's start, and a silence before the first event belongs to the picture. Only traces
        // that count from somewhere else begin late.
        if (begin > 0 && begin < 0.5 * end)
            begin = 0;
        bounds.x0 = begin;
        bounds.x1 = std::max(end, begin + kLeastSeconds);
        const double peak = std::max(
            {static_cast<double>(timeline->peakBytes()), kLeastBytes, static_cast<double>(scene.reserved.maximum())});
        const auto budget = static_cast<double>(scene.budgetBytes);
        bounds.y1 = peak * kPeakHeadRoom;
        if (budget <= peak * kBudgetInView)
            bounds.y1 = std::max(bounds.y1, budget * kPeakHeadRoom);
        // While a run goes on it shows where the stack will get to.
        const auto predicted = static_cast<double>(scene.predictedBytes);
        if (isLive || predicted <= peak * kPredictionInView)
            bounds.y1 = std::max(bounds.y1, predicted * kPeakHeadRoom);
    }
    return bounds;
}

void paintPhaseTints(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    const QRectF& rect = geometry.rect;
    for (const PhaseBand& band : phaseBands(scene, geometry)) {
        // Of phases too thin to be told apart none may colour the ground.
        if (band.isOne())
            painter.fillRect(QRectF(band.left, rect.top(), band.right - band.left, rect.height()),
                             phaseTint(band.main(), scene.theme.dark));
    }
    painter.setPen(QPen(scene.theme.grid, 1, Qt::SolidLine));
    for (const StepBand& band : stepBands(scene, geometry))
        painter.drawLine(QPointF(band.left, rect.top()), QPointF(band.left, rect.bottom()));
}

void paintByteGrid(QPainter& painter, const PlotGeometry& geometry, const PlotGeometry& whole,
                   const QList<double>& ticks, const ChartTheme& theme)
{
    painter.setPen(QPen(theme.grid, 1));
    for (const double tick : ticks) {
        const double y = std::round(whole.yPixel(tick));
        if (y > geometry.rect.top() && y < geometry.rect.bottom())
            painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    }
}

void paintStack(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    if (!scene.timeline || scene.timeline->size() == 0)
        return;
    const double scale = deviceScale(painter);
    const int count = std::max(1, static_cast<int>(std::lround(geometry.rect.width() * scale)));
    const auto columns = scene.timeline->sample(geometry.x0, geometry.x1, count);
    const StackRows stack = stackRows(columns, geometry, scene, scale);
    const int offset = static_cast<int>(std::lround(geometry.rect.left() * scale));
    const std::size_t stride = stack.components.size() + 1;

    painter.save();
    painter.scale(1 / scale, 1 / scale); // now in device pixels
    for (std::size_t layer = 0; layer < stack.components.size(); ++layer) {
        const QColor color = componentColor(stack.components[layer]);
        const QColor edge = edgeColor(color, scene.theme);
        const bool hatched = isDoubtful(scene.doubt, stack.components[layer]);
        for (std::size_t begin = 0; begin < columns.size();) {
            const int low = stack.rows[begin * stride + layer], high = stack.rows[begin * stride + layer + 1];
            std::size_t end = begin + 1;
            while (end < columns.size() && stack.rows[end * stride + layer] == low &&
                   stack.rows[end * stride + layer + 1] == high)
                ++end;
            const int left = offset + static_cast<int>(begin), width = static_cast<int>(end - begin);
            if (high < low)
                painter.fillRect(left, high, width, low - high, color);
            if (hatched && high < low)
                painter.fillRect(left, high, width, low - high, QBrush(scene.theme.background, Qt::BDiagPattern));
            // An edge on every spike would be all ink: what is too narrow to be seen alone has none.
            if (edge.isValid() && low - high > 1 && width >= kNarrowestEdge * scale)
                painter.fillRect(left, high, width, 1, edge);
            begin = end;
        }
    }
    if (!scene.showsAllComponents()) {
        // What is hidden still counts: the total stays as an outline.
        const int thick = static_cast<int>(std::ceil(scale));
        for (std::size_t i = 0; i < stack.totals.size(); ++i)
            painter.fillRect(offset + static_cast<int>(i), stack.totals[i], 1, thick, scene.theme.axis);
    }
    painter.restore();
}

static void paintInstant(QPainter& painter, const PlotGeometry& geometry, const TimelineInstant& instant,
                         const TimelineScene& scene)
{
    if (instant.place < geometry.x0 || instant.place > geometry.x1)
        return;
    const QColor color = instant.bad ? scene.theme.warning : scene.theme.accent;
    const double x = geometry.xPixel(instant.place);
    painter.setPen(QPen(color, instant.bad ? 2 : 1));
    painter.drawLine(QPointF(x, geometry.rect.top()), QPointF(x, geometry.rect.bottom()));
    const bool right = x > geometry.rect.center().x();
    // At the axis of time: what says bytes stands above.
    paintTag(painter, geometry.rect, QPointF(x + (right ? -4 : 4), geometry.rect.bottom() - (instant.bad ? 22 : 2)),
             (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignBottom, instant.text, color, scene);
}

void paintLimits(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    QPen reservedPen(scene.theme.text, 1, Qt::DashLine);
    paintStepCurve(painter, geometry, scene.reserved, reservedPen);
    for (const StepCurve& mark : scene.marks)
        paintStepCurve(painter, geometry, mark, QPen(scene.theme.accent, 1, Qt::DotLine));
    QColor halo = scene.theme.background;
    halo.setAlpha(190);
    paintStepCurve(painter, geometry, scene.chosen, QPen(halo, 4));
    paintStepCurve(painter, geometry, scene.chosen, QPen(scene.theme.text, 1.6));
    for (const TimelineInstant& instant : scene.instants) // before the words that their lines may cross
        paintInstant(painter, geometry, instant, scene);
    paintLimitLines(painter, geometry, scene);
    if (scene.timeline && scene.timeline->size() > 0)
        paintPeak(painter, geometry, scene);
}

void paintPhaseStrip(QPainter& painter, const PlotGeometry& geometry, const TimelineScene& scene)
{
    const double pixel = 1 / deviceScale(painter);
    const QFontMetricsF metrics(scene.font);
    painter.setFont(scene.font);
    const double half = geometry.rect.height() / 2;
    const QRectF stepRow(geometry.rect.left(), geometry.rect.top(), geometry.rect.width(), half);
    const QRectF phaseRow = stepRow.translated(0, half);

    const auto label = [&](const QRectF& box, const QString& text, const QColor& color) {
        if (metrics.horizontalAdvance(text) + 4 > box.width())
            return;
        painter.setPen(color);
        painter.drawText(box, Qt::AlignCenter, text);
    };
    for (const StepBand& band : stepBands(scene, geometry)) {
        const QRectF box(band.left, stepRow.top(), band.width(), stepRow.height());
        painter.setPen(QPen(scene.theme.axis, 1));
        painter.drawLine(box.topLeft(), box.bottomLeft());
        const QString numbers = stepBandText(band);
        const QString full = band.first == band.last ? PainterText::tr("Step %1").arg(numbers)
                                                     : PainterText::tr("Steps %1", "a range").arg(numbers);
        label(box, metrics.horizontalAdvance(full) + 4 <= box.width() ? full : numbers, scene.theme.mutedText);
    }
    for (const PhaseBand& band : phaseBands(scene, geometry)) {
        const QRectF box(band.left, phaseRow.top(), band.right - band.left, phaseRow.height() - 1);
        double top = box.top();
        for (const auto& [phase, share] : band.shares) {
            painter.fillRect(QRectF(box.left(), top, box.width(), box.height() * share),
                             phaseStripColor(phase, scene.theme.dark));
            top += box.height() * share;
        }
        if (!band.isOne())
            continue;
        if (box.width() >= 3)
            painter.fillRect(QRectF(box.left(), box.top(), pixel, box.height()), scene.theme.background);
        label(box, phaseTitle(band.main()), scene.theme.text);
    }
}

} // namespace peakscope
