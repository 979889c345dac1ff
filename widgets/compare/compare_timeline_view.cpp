// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_timeline_view.h"

#include "widgets/compare/compare_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/lane_ticker.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/snapshot_marks.h"
#include "widgets/timeline/timeline_painter.h"
#include "widgets/timeline/timeline_text.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QLabel>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kHeadRoom = 1.3;  // above the highest peak, for its label
constexpr double kMarkRoom = 0.01; // of the axis, beside the first and the last snapshot
constexpr double kLaneGap = 6;     // pixels between lanes
constexpr double kTitleFrom = 44;  // pixels: titles of lower lanes stand over their plots
constexpr double kStripFrom = 96;  // pixels: lower lanes have no strip of steps and phases

} // namespace

struct CompareTimelineView::Scene {
    std::vector<CompareLane> lanes;
    std::vector<TimelineScene> scenes; // one a lane
    std::size_t base = 0;
    bool overlay = false;
    double topBytes = 1024; // of every lane
    ChartTheme theme;
    QFont font;
    QList<double> ticks; // y coordinates

    static bool recordedWhole(const CompareLane& lane) { return lane.timeline && lane.timeline->size() > 0; }
    static bool drawn(const CompareLane& lane) { return recordedWhole(lane) || lane.course; }
    // All lanes that have a picture are snapshots without times.
    bool ordered() const
    {
        const auto timed = [](const CompareLane& lane) {
            return recordedWhole(lane) || (lane.course && lane.course->timed);
        };
        return std::any_of(lanes.begin(), lanes.end(), drawn) && std::none_of(lanes.begin(), lanes.end(), timed);
    }
    static std::int64_t peakOf(const CompareLane& lane)
    {
        if (!lane.course)
            return lane.timeline ? lane.timeline->peakBytes() : 0;
        std::int64_t peak = lane.peakBytes;
        for (std::size_t i = 0; i < lane.course->size(); ++i)
            peak = std::max({peak, lane.course->allocatedBytes[i],
                             snapshotBytes(*lane.course, SnapshotSeries::Maximum, i).value_or(0)});
        return peak;
    }
    std::size_t rows() const { return overlay ? 1 : std::max<std::size_t>(lanes.size(), 1); }
    // Of a low lane the title stands over the plot, which has all of the height then.
    double titleHeight(double row) const { return overlay || row < kTitleFrom ? 0 : QFontMetricsF(font).height() + 3; }
    double stripHeight(double row) const { return row < kStripFrom ? 0 : 2 * (QFontMetricsF(font).height() + 1); }
    // The plot area of a row within an axis rect, pixels.
    QRectF rowArea(const QRectF& rect, std::size_t row) const
    {
        const double height = rect.height() / static_cast<double>(rows());
        QRectF area(rect.left(), rect.top() + static_cast<double>(row) * height, rect.width(), height);
        const double head = titleHeight(height) + stripHeight(height);
        return area.adjusted(0, head, 0, row + 1 < rows() ? -kLaneGap : 0);
    }
    PlotGeometry rowGeometry(const PlotGeometry& whole, std::size_t row) const
    {
        PlotGeometry geometry = whole;
        geometry.rect = rowArea(whole.rect, row);
        geometry.y0 = 0;
        geometry.y1 = topBytes;
        return geometry;
    }
    void paint(QPainter& painter, const PlotGeometry& geometry) const;
    void paintLane(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    void paintTitle(QPainter& painter, const QRectF& line, std::size_t lane) const;
    void paintLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    void paintCourseLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const;
    void paintPeak(QPainter& painter, const PlotGeometry& geometry, std::size_t lane, double x,
                   std::int64_t bytes) const;
    void paintStrip(QPainter& painter, const PlotGeometry& geometry, double height, std::size_t lane) const;
};

// The part of the geometry in which a run has a record.
static std::optional<PlotGeometry> recorded(const PlotGeometry& geometry, const MemoryTimeline& timeline)
{
    const double begin = std::max(geometry.x0, timeline.startSeconds());
    const double end = std::min(geometry.x1, timeline.endSeconds());
    if (!(end > begin))
        return std::nullopt;
    PlotGeometry part = geometry;
    part.rect.setLeft(std::round(geometry.xPixel(begin)));
    part.rect.setRight(std::round(geometry.xPixel(end)));
    part.x0 = begin;
    part.x1 = end;
    return part.rect.width() >= 1 ? std::optional(part) : std::nullopt;
}

void CompareTimelineView::Scene::paintTitle(QPainter& painter, const QRectF& line, std::size_t lane) const
{
    QFont bold = font;
    bold.setBold(true);
    const QString letter = compareLetter(lane);
    painter.setFont(bold);
    const double width = QFontMetricsF(bold).horizontalAdvance(letter);
    painter.setPen(compareColor(lane, theme.dark));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, letter);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const QString badge = lanes[lane].badge;
    const double badgeWidth = badge.isEmpty() ? 0 : metrics.horizontalAdvance(badge) + 10;
    QRectF rest = line.adjusted(width + 6, 0, -badgeWidth, 0);
    painter.setPen(theme.text);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(lanes[lane].title, Qt::ElideMiddle, rest.width()));
    if (badge.isEmpty())
        return;
    painter.setPen(theme.warning);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, badge);
}

void CompareTimelineView::Scene::paintStrip(QPainter& painter, const PlotGeometry& geometry, double height,
                                            std::size_t lane) const
{
    if (lanes[lane].phases.empty() || height <= 0)
        return;
    PlotGeometry strip = geometry;
    strip.rect = QRectF(geometry.rect.left(), geometry.rect.top() - height, geometry.rect.width(), height);
    paintPhaseStrip(painter, strip, scenes[lane]);
}

void CompareTimelineView::Scene::paintLane(QPainter& painter, const PlotGeometry& whole, std::size_t lane) const
{
    const PlotGeometry geometry = rowGeometry(whole, lane);
    const QRectF& area = geometry.rect;
    const double rowTop =
        whole.rect.top() + static_cast<double>(lane) * whole.rect.height() / static_cast<double>(rows());
    const CompareLane& content = lanes[lane];
    const double line = QFontMetricsF(font).height();
    const bool named =
        rowArea(whole.rect, 0).height() >= 2.4 * line; // lower, names of lines would cover what they name
    if (!drawn(content)) {
        painter.setPen(theme.mutedText);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, content.missing);
    } else if (!recordedWhole(content)) {
        painter.save();
        painter.setClipRect(area, Qt::IntersectClip);
        paintByteGrid(painter, geometry, whole, ticks, theme);
        paintSnapshots(painter, geometry, {content.course.get(), theme, font});
        if (named)
            paintLimits(painter, geometry, scenes[lane]);
        painter.restore();
    } else {
        painter.save();
        painter.setClipRect(area, Qt::IntersectClip);
        paintPhaseTints(painter, geometry, scenes[lane]);
        paintByteGrid(painter, geometry, whole, ticks, theme);
        if (const auto part = recorded(geometry, *content.timeline))
            paintStack(painter, *part, scenes[lane]);
        if (named)
            paintLimits(painter, geometry, scenes[lane]);
        painter.restore();
        paintStrip(painter, geometry, stripHeight(whole.rect.height() / static_cast<double>(rows())), lane);
    }
    paintTitle(painter, QRectF(area.left() + 2, rowTop, area.width() - 4, line + 3), lane);
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(area.left(), std::round(area.bottom())), QPointF(area.right(), std::round(area.bottom())));
}

void CompareTimelineView::Scene::paintLine(QPainter& painter, const PlotGeometry& geometry, std::size_t lane) const
{
    const CompareLane& content = lanes[lane];
    if (!recordedWhole(content)) {
        paintCourseLine(painter, geometry, lane);
        return;
    }
    const auto part = recorded(geometry, *content.timeline);
    if (!part)
        return;
    const int columns = std::max(2, static_cast<int>(part->rect.width()));
    QPolygonF line;
    double x = part->rect.left();
    for (const MemoryTimeline::Column& column : content.timeline->sample(part->x0, part->x1, columns)) {
        const double low = geometry.yPixel(static_cast<double>(column.minBytes));
        const double high = geometry.yPixel(static_cast<double>(column.totalBytes));
        // A column that moved is drawn from its lowest to its highest total.
        if (low - high > 1)
            line << QPointF(x, low);
        line << QPointF(x, high);
        x += 1;
    }
    const QColor color = compareColor(lane, theme.dark);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.5, comparePenStyle(lane)));
    painter.drawPolyline(line);
    paintPeak(painter, geometry, lane, content.timeline->peakSeconds(), content.timeline->peakBytes());
}

// Thin between the snapshots, with the run's own mark at each.
void CompareTimelineView::Scene::paintCourseLine(QPainter& painter, const PlotGeometry& geometry,
                                                 std::size_t lane) const
{
    if (!lanes[lane].course)
        return;
    const SnapshotCourse& course = *lanes[lane].course;
    const QColor color = compareColor(lane, theme.dark);
    QPolygonF line;
    for (std::size_t i = 0; i < course.size(); ++i)
        line << QPointF(geometry.xPixel(course.position[i]),
                        geometry.yPixel(static_cast<double>(course.allocatedBytes[i])));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1, comparePenStyle(lane)));
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    for (const QPointF& at : line)
        painter.drawPolygon(compareMarker(lane, at, 6));
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto highest = std::max_element(course.allocatedBytes.begin(), course.allocatedBytes.end());
    const auto index = static_cast<std::size_t>(highest - course.allocatedBytes.begin());
    paintPeak(painter, geometry, lane, course.position[index], *highest);
}

void CompareTimelineView::Scene::paintPeak(QPainter& painter, const PlotGeometry& geometry, std::size_t lane, double x,
                                           std::int64_t bytes) const
{
    const QColor color = compareColor(lane, theme.dark);
    const QPointF peak(geometry.xPixel(x), geometry.yPixel(static_cast<double>(bytes)));
    if (!geometry.rect.adjusted(-1, -1, 1, 1).contains(peak))
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.background, 1));
    painter.setBrush(color);
    painter.drawPolygon(compareMarker(lane, peak, 9));
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QString text = compareLetter(lane) + QLatin1Char(' ') + bytesText(bytes);
    const QFontMetricsF metrics(font);
    QRectF box(0, 0, metrics.horizontalAdvance(text) + 6, metrics.height());
    // Letters beside one another where peaks coincide.
    box.moveBottomLeft(peak + QPointF(8, -4 + static_cast<double>(lane % 2) * (metrics.height() + 6)));
    if (box.right() > geometry.rect.right())
        box.moveRight(peak.x() - 8);
    box.moveTop(std::max(box.top(), geometry.rect.top()));
    QColor plate = theme.background;
    plate.setAlpha(215);
    painter.fillRect(box, plate);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void CompareTimelineView::Scene::paint(QPainter& painter, const PlotGeometry& whole) const
{
    painter.setFont(font);
    for (std::size_t lane = 0; !overlay && lane < lanes.size(); ++lane)
        paintLane(painter, whole, lane);
    if (!overlay || lanes.empty())
        return;
    const PlotGeometry geometry = rowGeometry(whole, 0);
    painter.save();
    painter.setClipRect(geometry.rect, Qt::IntersectClip);
    if (base < scenes.size())
        paintPhaseTints(painter, geometry, scenes[base]);
    painter.setPen(QPen(theme.grid, 1));
    for (const double tick : ticks) {
        const double y = std::round(whole.yPixel(tick));
        painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        paintLine(painter, geometry, lane);
    painter.restore();
    if (base < lanes.size())
        paintStrip(painter, geometry, stripHeight(whole.rect.height()), base);
}

CompareTimelineView::CompareTimelineView(QWidget* parent)
    : LanePlot([] { return tr("Memory over time"); }, parent), m_scene(std::make_unique<Scene>())
{
    QCustomPlot* plot = this->plot();
    m_scene->font = font();
    setTimeScale(plot->xAxis, [] { return timelineAxisTitle(TimelineAxis::Seconds); });
    plot->yAxis->grid()->setVisible(false);
    setLaneTicks(plot->yAxis, &m_scene->ticks, [this](const QRectF& rect) {
        return LaneLayout{m_scene->rows(), m_scene->topBytes,
                          [this, rect](std::size_t row) { return m_scene->rowArea(rect, row); }};
    });
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    buildLanes();
    connect(plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
        if (m_scene->ordered())
            this->plot()->xAxis->setLabel(snapshotOrderTitle());
    });
    m_readout = new QLabel;
    makeReadout(m_readout, 1, fontMetrics());
    m_readout->setTextFormat(Qt::RichText);
    m_legend = new LegendStrip;
    putUnder({m_readout, m_legend});
    m_modes = addViewChoices({{static_cast<int>(Mode::Lanes), [] { return tr("Under one another"); }},
                              {static_cast<int>(Mode::Overlay), [] { return tr("Overlaid"); }}},
                             static_cast<int>(m_mode), [this](int mode) { setMode(static_cast<Mode>(mode)); });
    setLanes({}, 0);
}

CompareTimelineView::~CompareTimelineView() = default;

void CompareTimelineView::setAxis(TimelineAxis axis)
{
    if (axis == m_axis)
        return;
    m_axis = axis;
    (axis == TimelineAxis::Seconds ? setTimeScale : setCountScale)(plot()->xAxis,
                                                                   [axis] { return timelineAxisTitle(axis); });
}

void CompareTimelineView::setLanes(std::vector<CompareLane> lanes, std::size_t base)
{
    const bool same = std::equal(lanes.begin(), lanes.end(), m_scene->lanes.begin(), m_scene->lanes.end(),
                                 [](const CompareLane& a, const CompareLane& b) {
                                     const bool courses = a.course && b.course;
                                     return a.timeline == b.timeline &&
                                            (courses ? a.course->position == b.course->position &&
                                                           a.course->allocatedBytes == b.course->allocatedBytes
                                                     : !a.course && !b.course);
                                 });
    m_scene->lanes = std::move(lanes);
    m_scene->base = base;
    m_scene->scenes.clear();
    bool any = false;
    for (const CompareLane& lane : m_scene->lanes) {
        TimelineScene scene;
        scene.timeline = lane.timeline.get();
        scene.phases = lane.phases;
        scene.predictedBytes = lane.predictedBytes;
        scene.predictionIsBound = lane.predictionIsBound;
        scene.budgetBytes = lane.budgetBytes;
        scene.theme = theme();
        scene.font = font();
        m_scene->scenes.push_back(std::move(scene));
        any = any || Scene::drawn(lane);
    }
    if (m_scene->lanes.empty())
        setPlaceholder([] { return tr("Choose two or more runs in the library to see them under one another."); });
    else
        setPlaceholder([any] {
            return any ? QString()
                       : tr("None of these runs holds a memory timeline or snapshots; bars and tables still "
                            "compare them.");
        });
    updateBounds();
    if (!same) {
        clearCursor();
        interaction()->startAnew();
        interaction()->clearSelection();
    }
    updateTexts();
    contentChanged();
}

bool CompareTimelineView::showsAny() const
{
    return std::any_of(m_scene->lanes.begin(), m_scene->lanes.end(), Scene::drawn);
}

void CompareTimelineView::setMode(Mode mode)
{
    m_mode = mode;
    m_scene->overlay = mode == Mode::Overlay;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(mode));
    updateTexts();
    contentChanged();
}

void CompareTimelineView::updateBounds()
{
    PlotArea bounds{0, 1, 0, 1};
    bool first = true, courses = false;
    double most = 1024;
    for (const CompareLane& lane : m_scene->lanes) {
        if (!Scene::drawn(lane))
            continue;
        const bool course = !Scene::recordedWhole(lane);
        double begin = course ? lane.course->position.front() : lane.timeline->startSeconds();
        double end = course ? lane.course->endPosition() : lane.timeline->endSeconds();
        if (!lane.phases.empty()) {
            begin = std::min(begin, lane.phases.front().timeSeconds);
            end = std::max(end, lane.phases.back().timeSeconds);
        }
        bounds.x0 = first ? begin : std::min(bounds.x0, begin);
        bounds.x1 = first ? end : std::max(bounds.x1, end);
        first = false;
        const auto peak = static_cast<double>(course ? lane.course->highestBytes() : lane.timeline->peakBytes());
        courses = courses || course;
        most = std::max(most, peak);
        // A prediction or budget close by is part of the picture; one far above would flatten all lanes.
        for (const std::int64_t limit : {lane.predictedBytes, lane.budgetBytes}) {
            if (static_cast<double>(limit) <= 1.5 * peak)
                most = std::max(most, static_cast<double>(limit));
        }
    }
    bounds.x1 = std::max(bounds.x1, bounds.x0 + 1e-3);
    if (courses) { // room for half a mark
        const double room = (bounds.x1 - bounds.x0) * kMarkRoom;
        bounds.x0 -= room;
        bounds.x1 += room;
    }
    m_scene->topBytes = most * kHeadRoom;
    interaction()->setBounds(bounds);
}

void CompareTimelineView::updateTexts()
{
    plot()->yAxis->setLabel(tr("Memory (%1)").arg(byteScaleFor(m_scene->topBytes).unit));
    plot()->xAxis->setTickLabels(!m_scene->ordered());
    if (m_scene->ordered())
        plot()->xAxis->setLabel(snapshotOrderTitle());
    updateReadout();
    std::vector<LegendStrip::Entry> entries;
    std::vector<const std::vector<PhaseMark>*> tinted;
    for (std::size_t i = 0; i < m_scene->lanes.size(); ++i) {
        if (m_scene->overlay ? i == m_scene->base : Scene::recordedWhole(m_scene->lanes[i]))
            tinted.push_back(&m_scene->lanes[i].phases);
    }
    const std::vector<LegendStrip::Entry> phases = phaseEntries(tinted);
    if (m_mode == Mode::Overlay) {
        for (std::size_t i = 0; i < m_scene->lanes.size(); ++i) {
            const QString name = compareLetter(i) + QLatin1Char(' ') + m_scene->lanes[i].title;
            entries.push_back({name, compareColor(i, theme().dark), Qt::NoPen});
        }
        entries.insert(entries.end(), phases.begin(), phases.end());
        m_legend->setEntries(std::move(entries));
        return;
    }
    std::vector<const MemoryTimeline*> timelines;
    for (const CompareLane& lane : m_scene->lanes)
        timelines.push_back(lane.timeline.get());
    entries = componentEntries(timelines);
    entries.insert(entries.end(), phases.begin(), phases.end());
    std::vector<SnapshotSeries> series;
    bool several = false;
    for (const CompareLane& lane : m_scene->lanes) {
        several = several || (lane.course && lane.course->size() > 1);
        if (const auto own = lane.course ? snapshotSeries(*lane.course) : series; own.size() > series.size())
            series = own;
    }
    for (LegendStrip::Entry& entry : snapshotEntries(series, several, theme()))
        entries.push_back(std::move(entry));
    m_legend->setEntries(std::move(entries));
}

QString CompareTimelineView::readout() const
{
    if (m_scene->lanes.empty())
        return {};
    QStringList parts;
    parts << (cursor() ? tr("At %1:").arg(timelinePlaceText(m_axis, *cursor(), visibleLower(), visibleUpper(),
                                                            std::max(1, plot()->axisRect()->width())))
                       : tr("At their peaks:"));
    const CompareLane& base = m_scene->lanes[std::min(m_scene->base, m_scene->lanes.size() - 1)];
    const auto valueOf = [this](const CompareLane& lane) -> std::optional<std::int64_t> {
        if (!Scene::drawn(lane))
            return std::nullopt;
        if (!cursor())
            return Scene::peakOf(lane);
        return Scene::recordedWhole(lane) ? lane.timeline->totalAt(*cursor())
                                          : lane.course->allocatedBytes[lane.course->nearest(*cursor())];
    };
    const std::optional<std::int64_t> from = valueOf(base);
    for (std::size_t i = 0; i < m_scene->lanes.size(); ++i) {
        const std::optional<std::int64_t> bytes = valueOf(m_scene->lanes[i]);
        QString text = bytes ? bytesText(*bytes) : tr("no timeline");
        if (bytes && from && &m_scene->lanes[i] != &base) {
            const std::int64_t difference = *bytes - *from;
            text += QStringLiteral(" (%1%2").arg(difference < 0 ? QString(QChar(0x2212)) : QStringLiteral("+"),
                                                 bytesText(std::abs(difference)));
            if (*from > 0) {
                const double ratio = static_cast<double>(*bytes) / static_cast<double>(*from);
                text += QStringLiteral(", ×") + QLocale().toString(ratio, 'f', 2);
            }
            text += QLatin1Char(')');
        }
        parts << QStringLiteral("%1 %2").arg(compareLetter(i), text);
    }
    return parts.join(QStringLiteral("   "));
}

void CompareTimelineView::updateReadout()
{
    const QString text = readout();
    QString html = text.toHtmlEscaped();
    html.replace(QStringLiteral("   "), QStringLiteral("&nbsp;&nbsp; "));
    m_readout->setText(html);
    m_readout->setAccessibleName(text);
    m_readout->setVisible(!m_scene->lanes.empty());
}

int CompareTimelineView::laneAt(double pixelY) const
{
    const QRect rect = plot()->axisRect()->rect();
    if (m_scene->overlay || m_scene->lanes.empty() || pixelY < rect.top() || pixelY > rect.bottom())
        return -1;
    const double share = (pixelY - rect.top()) / std::max(1, rect.height());
    return std::clamp(static_cast<int>(share * static_cast<double>(m_scene->lanes.size())), 0,
                      static_cast<int>(m_scene->lanes.size()) - 1);
}

void CompareTimelineView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    for (TimelineScene& scene : m_scene->scenes) {
        scene.theme = theme;
        scene.font = font();
    }
    LanePlot::applyTheme(theme);
    updateTexts();
}

bool CompareTimelineView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return LanePlot::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag chooses the run.
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && !interaction()->isDragging())
            if (const int lane = laneAt(mouse->position().y()); lane >= 0)
                emit laneActivated(lane);
    }
    return moveCursor(event);
}

QString CompareTimelineView::summary() const
{
    const auto& lanes = m_scene->lanes;
    std::size_t highest = lanes.size(), lowest = lanes.size();
    const auto peak = [&lanes](std::size_t i) { return Scene::peakOf(lanes[i]); };
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (!Scene::drawn(lanes[i]))
            continue;
        highest = highest == lanes.size() || peak(i) > peak(highest) ? i : highest;
        lowest = lowest == lanes.size() || peak(i) < peak(lowest) ? i : lowest;
    }
    if (highest == lanes.size())
        return tr("No timelines are compared.");
    return tr("%1 runs; the highest peak is that of %2 with %3, the lowest that of %4 with %5.")
        .arg(QString::number(lanes.size()), compareLetter(highest), bytesText(peak(highest)), compareLetter(lowest),
             bytesText(peak(lowest)));
}

// Where there are snapshots only: a row each.
QString CompareTimelineView::courseTsv() const
{
    QString text = QStringLiteral("run\ttime_seconds\tallocated_bytes\treserved_bytes\tmax_allocated_bytes\n");
    for (std::size_t lane = 0; lane < m_scene->lanes.size(); ++lane) {
        const auto& course = m_scene->lanes[lane].course;
        for (std::size_t i = 0; course && i < course->size(); ++i) {
            if (course->position[i] < visibleLower() || course->position[i] > visibleUpper())
                continue;
            QStringList cells{compareLetter(lane),
                              course->timed ? QString::number(course->position[i], 'g', 12) : QString()};
            for (const auto series : {SnapshotSeries::Allocated, SnapshotSeries::Reserved, SnapshotSeries::Maximum}) {
                const auto bytes = snapshotBytes(*course, series, i);
                cells << (bytes ? QString::number(static_cast<qlonglong>(*bytes)) : QString());
            }
            text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
        }
    }
    return text;
}

QString CompareTimelineView::visibleDataTsv() const
{
    if (showsAny() && std::none_of(m_scene->lanes.begin(), m_scene->lanes.end(), Scene::recordedWhole))
        return courseTsv();
    QStringList columns;
    std::vector<const MemoryTimeline*> timelines;
    for (const CompareLane& lane : m_scene->lanes) {
        columns << compareLetter(timelines.size()) + QStringLiteral("_bytes");
        timelines.push_back(lane.timeline.get());
    }
    return lanesTsv(columns, timelines, visibleLower(), visibleUpper());
}

} // namespace peakscope
