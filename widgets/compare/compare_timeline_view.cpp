// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_timeline_view.h"

#include "widgets/compare/compare_style.h"
#include "widgets/compare/compare_timeline_scene.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/lane_ticker.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/snapshot_marks.h"
#include "widgets/timeline/timeline_edges.h"
#include "widgets/timeline/timeline_painter.h"
#include "widgets/timeline/timeline_span.h"
#include "widgets/timeline/timeline_text.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QLabel>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kHeadRoom = 1.3;  // above the highest peak, for its label
constexpr double kMarkRoom = 0.01; // of the axis, beside the first and the last snapshot
constexpr double kLeastLane = 2.3; // lines of text: a lower lane can't be read

} // namespace

CompareTimelineView::CompareTimelineView(QWidget* parent)
    : LanePlot([] { return tr("Memory over time"); }, parent), m_scene(std::make_unique<Scene>())
{
    explain(
        [] {
            return tr("A strip is a run, all on one scale of memory, so that heights compare. Bands are components.");
        },
        "figures");
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
    m_edges = new TimelineEdges(plot);
    connect(m_edges, &TimelineEdges::clicked, this, &PlotView::resetZoom);
    connect(interaction(), &PlotInteraction::viewChanged, this, &CompareTimelineView::showEdges);
    connect(plot, &QCustomPlot::afterLayout, this, &CompareTimelineView::fitLanes);
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
        showSteps();
        interaction()->clearSelection();
    }
    updateTexts();
    contentChanged();
}

// Snapshots are few: they are all shown.
void CompareTimelineView::showSteps()
{
    std::vector<SpannedRun> runs;
    for (const CompareLane& lane : m_scene->lanes) {
        if (lane.course)
            return;
        if (Scene::recordedWhole(lane))
            runs.push_back({&lane.phases, lane.timeline.get()});
    }
    const PlotArea& bounds = interaction()->bounds();
    const TimeSpan steps = stepsSpan(runs, {bounds.x0, bounds.x1});
    interaction()->setView({steps.begin, steps.end, bounds.y0, bounds.y1}, false);
}

void CompareTimelineView::showEdges()
{
    m_edges->show(interaction()->bounds(), interaction()->view(), m_axis == TimelineAxis::Seconds);
}

// As many lanes as can be read; a bar scrolls to the others.
void CompareTimelineView::fitLanes()
{
    const QRect area = plot()->axisRect()->rect();
    const int lanes = static_cast<int>(m_scene->lanes.size());
    const int fitting = std::max(1, static_cast<int>(area.height() / (kLeastLane * fontMetrics().height())));
    m_scene->mostRows = static_cast<std::size_t>(fitting);
    const auto shown = static_cast<std::size_t>(m_scene->overlay ? std::min(lanes, fitting) : lanes);
    m_scene->first = scrollLanes(shown, m_scene->mostRows, {0, area.top(), plot()->width(), area.height()});
    scrollBar()->setToolTip(tr("%1 of %2 runs are visible").arg(fitting).arg(lanes));
}

void CompareTimelineView::scrolled(std::size_t first)
{
    m_scene->first = first;
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
    showEdges();
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
    std::vector<SnapshotSeries> series;
    bool several = false;
    for (const CompareLane& lane : m_scene->lanes) {
        several = several || (lane.course && lane.course->size() > 1);
        if (const auto own = lane.course ? snapshotSeries(*lane.course) : series; own.size() > series.size())
            series = own;
    }
    if (m_mode == Mode::Overlay) {
        for (std::size_t i = 0; i < m_scene->lanes.size(); ++i) {
            const QString name = compareLetter(i) + QLatin1Char(' ') + m_scene->lanes[i].title;
            entries.push_back({name, compareColor(i, theme().dark), Qt::NoPen});
        }
        entries.insert(entries.end(), phases.begin(), phases.end());
        if (several) // their other series are not drawn over one another
            entries.push_back(snapshotEntries({SnapshotSeries::Allocated}, true, theme()).back());
        m_legend->setEntries(std::move(entries));
        return;
    }
    std::vector<const MemoryTimeline*> timelines;
    for (const CompareLane& lane : m_scene->lanes)
        timelines.push_back(lane.timeline.get());
    entries = componentEntries(timelines);
    entries.insert(entries.end(), phases.begin(), phases.end());
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
    const auto lane = m_scene->first + static_cast<std::size_t>(share * static_cast<double>(m_scene->rows()));
    return static_cast<int>(std::min(lane, m_scene->lanes.size() - 1));
}

void CompareTimelineView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    for (TimelineScene& scene : m_scene->scenes) {
        scene.theme = theme;
        scene.font = font();
    }
    m_edges->setColor(theme.accent);
    showEdges();
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
