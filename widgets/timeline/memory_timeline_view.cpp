// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/memory_timeline_view.h"

#include "core/results/component_reading.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/svg_icon.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/timeline/timeline_cursor.h"
#include "widgets/timeline/timeline_edges.h"
#include "widgets/timeline/timeline_legend.h"
#include "widgets/timeline/timeline_painter.h"
#include "widgets/timeline/timeline_span.h"
#include "widgets/timeline/timeline_text.h"

#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QKeyEvent>
#include <QSplitter>
#include <QTimer>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kRefreshMs = 33; // at most 30 redraws a second while live
constexpr int kCopiedRows = 2000;
constexpr int kRoomForBoth = 420; // pixels, of a plot above its legend

} // namespace

MemoryTimelineView::MemoryTimelineView(QWidget* parent)
    : PlotView([] { return tr("Memory over time"); }, parent), m_scene(std::make_unique<TimelineScene>())
{
    explain(
        [] { return tr("A band is what one component holds at that time. A dashed line is a prediction or a limit."); },
        "components");
    buildPlot();
    buildActions();
    m_refreshTimer = new QTimer(this);
    m_refreshTimer->setSingleShot(true);
    m_refreshTimer->setInterval(kRefreshMs);
    connect(m_refreshTimer, &QTimer::timeout, this, &MemoryTimelineView::refresh);
    setTimeline(nullptr);
}

MemoryTimelineView::~MemoryTimelineView() = default;

void MemoryTimelineView::buildPlot()
{
    QCustomPlot* plot = this->plot();
    plot->plotLayout()->insertRow(0);
    plot->plotLayout()->setRowSpacing(0);
    m_strip = new QCPAxisRect(plot);
    plot->plotLayout()->addElement(0, 0, m_strip);
    m_strip->setAutoMargins(QCP::msLeft | QCP::msRight);
    m_strip->setMargins(QMargins(0, 4, 0, 0));
    for (QCPAxis* axis : m_strip->axes())
        axis->setVisible(false);
    auto* margins = new QCPMarginGroup(plot);
    m_strip->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    QCPAxisRect* rect = plot->xAxis->axisRect();
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msBottom);
    rect->setMargins(QMargins(0, 3, 0, 0));
    QCPAxis* stripTime = m_strip->axis(QCPAxis::atBottom);
    connect(plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), stripTime,
            qOverload<const QCPRange&>(&QCPAxis::setRange));

    setTimeScale(plot->xAxis, [] { return timelineAxisTitle(TimelineAxis::Seconds); });
    setByteScale(plot->yAxis, [] { return tr("Memory"); });
    const auto add = [this](QCPAxis* x, QCPAxis* y, const char* layer, auto paint) {
        QCPAbstractPlottable* item =
            addPaintedPlottable(x, y, [this, paint](QPainter& painter, const PlotGeometry& geometry) {
                paint(painter, geometry, *m_scene);
            });
        item->setLayer(QString::fromLatin1(layer));
    };
    add(plot->xAxis, plot->yAxis, "background", paintPhaseTints);
    add(plot->xAxis, plot->yAxis, "main", paintStack);
    add(plot->xAxis, plot->yAxis, "main", paintLimits);
    add(stripTime, m_strip->axis(QCPAxis::atLeft), "main", paintPhaseStrip);

    m_referenceLine = makeCursorLine(plot);
    m_cursorLine = makeCursorLine(plot);
    m_edges = new TimelineEdges(plot);
    connect(m_edges, &TimelineEdges::clicked, this, &PlotView::resetZoom);
    connect(this, &PlotView::visibleRangeChanged, this, &MemoryTimelineView::updateEdges);
    m_legend = new TimelineLegend;
    body()->addWidget(m_legend);
    body()->setStretchFactor(1, 0);
    connect(m_legend, &TimelineLegend::preferredWidthChanged, this, &MemoryTimelineView::updateLegendPlacement);
    connect(body(), &QSplitter::splitterMoved, this, [this] { m_legendMovedByUser = true; });
    connect(m_legend, &TimelineLegend::componentToggled, this, [this](Component component, bool visible) {
        setComponentVisible(component, visible);
        emit componentToggled(component, visible);
    });
    connect(interaction(), &PlotInteraction::clicked, this, [this](double seconds, double) {
        if (timeline())
            emit instantChosen(seconds);
    });
    connect(interaction(), &PlotInteraction::referenceRequested, this, &MemoryTimelineView::setReference);
    plot->installEventFilter(this);
}

void MemoryTimelineView::buildActions()
{
    m_legendAction =
        addViewAction([] { return tr("Legend"); }, [] { return tr("Show the legend with the values at the cursor"); });
    m_legendAction->setCheckable(true);
    m_legendAction->setChecked(true);
    connect(m_legendAction, &QAction::toggled, m_legend, &QWidget::setVisible);

    m_referenceAction = addViewAction(
        [] { return tr("Set or clear reference"); },
        [] { return tr("Set the reference for comparisons at the cursor (R, or Alt+click)"); }, Qt::Key_R);
    connect(m_referenceAction, &QAction::triggered, this, [this] {
        if (m_reference && (!m_cursor || *m_cursor == *m_reference))
            clearReference();
        else if (m_cursor)
            setReference(*m_cursor);
    });

    m_peakAction = addViewAction([] { return tr("Go to the peak"); },
                                 [] { return tr("Put the cursor on the peak (P)"); }, Qt::Key_P);
    connect(m_peakAction, &QAction::triggered, this, &MemoryTimelineView::goToPeak);

    m_followSpan = new QComboBox;
    for (const double seconds : {0.0, kLastSteps, 5.0, 30.0, 300.0})
        m_followSpan->addItem(QString(), seconds);
    inLanguage(this, [this] {
        for (int i = 0; i < m_followSpan->count(); ++i)
            m_followSpan->setItemText(i, spanTitle(m_followSpan->itemData(i).toDouble()));
        m_followSpan->setAccessibleName(tr("How much is followed"));
    });
    connect(m_followSpan, &QComboBox::activated, this, [this](int index) {
        m_ownFollow = true;
        setFollowSeconds(m_followSpan->itemData(index).toDouble());
        setFollow(true);
    });
    addViewWidget(m_followSpan);
    m_followAction =
        addViewAction([] { return tr("Follow"); }, [] { return tr("Keep the newest events in view (F)"); }, Qt::Key_F);
    m_followAction->setCheckable(true);
    connect(m_followAction, &QAction::toggled, this, &MemoryTimelineView::setFollow);
}

const MemoryTimeline* MemoryTimelineView::timeline() const
{
    return m_scene->timeline;
}

void MemoryTimelineView::setTimeline(std::shared_ptr<const MemoryTimeline> timeline, ComponentDoubt doubt)
{
    m_isLive = false;
    m_scene->doubt = doubt;
    m_live.reset();
    m_finished = std::move(timeline);
    startOver(m_finished.get());
    setFollow(false);
    if (!m_finished)
        setPlaceholder([] { return tr("No memory timeline to show yet. Run an experiment or open a result."); });
    else if (m_finished->size() == 0)
        setPlaceholder([] { return tr("This result holds no memory events."); });
    else
        setPlaceholder({});
    refresh();
}

void MemoryTimelineView::showSteps()
{
    refresh(); // the bounds of what was set last
    interaction()->setView(stepsArea(*m_scene, interaction()->bounds()), false);
    interaction()->clearHistory();
}

void MemoryTimelineView::setAxis(TimelineAxis axis)
{
    if (axis == m_axis)
        return;
    m_axis = axis;
    (axis == TimelineAxis::Seconds ? setTimeScale : setCountScale)(plot()->xAxis,
                                                                   [axis] { return timelineAxisTitle(axis); });
    setTitle([axis] { return axis == TimelineAxis::Seconds ? tr("Memory over time") : tr("Memory"); });
    scheduleRefresh();
}

void MemoryTimelineView::beginLive()
{
    m_finished.reset();
    m_live = std::make_unique<MemoryTimeline>();
    m_isLive = true;
    m_scene->doubt = ComponentDoubt::FirstGuesses;
    setAxis(TimelineAxis::Seconds);
    m_scene->phases.clear();
    m_scene->budgetBytes = m_scene->predictedBytes = 0;
    m_scene->reserved = m_scene->chosen = {};
    m_scene->marks.clear();
    startOver(m_live.get());
    setFollow(true);
    setLoading([] { return tr("Waiting for the first memory events of the run…"); });
    refresh();
}

// Forgets what belonged to the timeline shown before.
void MemoryTimelineView::startOver(const MemoryTimeline* timeline)
{
    m_scene->timeline = timeline;
    m_cursor.reset();
    m_pinned.reset();
    m_reference.reset();
    updateCursorItems();
    interaction()->clearSelection();
    m_movingBySelf = true;
    interaction()->setView(interaction()->bounds(), false);
    m_movingBySelf = false;
    interaction()->clearHistory();
    m_followAction->setEnabled(m_isLive);
    m_followSpan->setVisible(m_isLive);
}

void MemoryTimelineView::appendLive(std::span<const double> timeSeconds, std::span<const std::int64_t> deltaBytes,
                                    std::span<const Component> component)
{
    if (!m_live || timeSeconds.empty())
        return;
    m_live->append(timeSeconds, deltaBytes, component);
    scheduleRefresh();
}

void MemoryTimelineView::endLive()
{
    if (!m_isLive)
        return;
    m_isLive = false;
    const bool wasFollowing = m_follow;
    setFollow(false);
    m_followAction->setEnabled(false);
    m_followSpan->hide();
    if (m_live->size() == 0)
        setPlaceholder([] { return tr("The run ended before any memory was recorded."); });
    refresh();
    if (wasFollowing && m_followSeconds == kLastSteps)
        showSteps();
    else if (wasFollowing)
        interaction()->startAnew();
}

void MemoryTimelineView::scheduleRefresh()
{
    // Single shot and not restarted: bursts of batches cost one redraw, and a steady stream cannot put it off.
    if (!m_refreshTimer->isActive())
        m_refreshTimer->start();
}

void MemoryTimelineView::refresh()
{
    m_refreshTimer->stop();
    const MemoryTimeline* timeline = m_scene->timeline;
    if (m_isLive && timeline->size() > 0 && !showsPlot())
        setPlaceholder({});
    std::vector<Component> listed;
    if (timeline) {
        const auto& order = componentStackOrder();
        std::copy_if(order.rbegin(), order.rend(), std::back_inserter(listed), [timeline](Component component) {
            return timeline->maxComponents()[static_cast<std::size_t>(component)] > 0;
        });
    }
    m_legend->setComponents(listed);
    m_legend->setPhases(m_scene->phasesPresent());
    const bool hatched = std::any_of(listed.begin(), listed.end(),
                                     [this](Component component) { return isDoubtful(m_scene->doubt, component); });
    m_legend->setDoubt(hatched ? m_scene->doubt : ComponentDoubt::None);
    updateBounds();
    updateReadout();
    contentChanged();
}

void MemoryTimelineView::updateBounds()
{
    const PlotArea bounds = timelineBounds(*m_scene, m_isLive);
    m_movingBySelf = true;
    interaction()->setBounds(bounds);
    if (m_follow)
        interaction()->setView(followedArea(*m_scene, bounds, interaction()->view(), m_followSeconds), false);
    m_movingBySelf = false;
    updateEdges();
}

void MemoryTimelineView::updateEdges()
{
    m_edges->show(interaction()->bounds(), interaction()->view(), m_axis == TimelineAxis::Seconds);
}

void MemoryTimelineView::updateReadout()
{
    const MemoryTimeline* timeline = m_scene->timeline;
    TimelineLegend::Readout readout;
    if (timeline && timeline->size() > 0) {
        const auto text = [this, width = std::max(1, plot()->xAxis->axisRect()->width())](double t) {
            return timelinePlaceText(m_axis, t, visibleLower(), visibleUpper(), width);
        };
        double time = m_isLive ? timeline->endSeconds() : timeline->peakSeconds();
        if (m_cursor) {
            time = *m_cursor;
            readout.time = text(time);
            readout.bytes = timeline->at(time);
        } else if (m_pinned && !m_isLive) {
            time = *m_pinned;
            readout.time = tr("Chosen: %1").arg(text(time));
            readout.bytes = timeline->at(time);
        } else if (m_isLive) {
            readout.time = tr("Now, %1").arg(text(time));
            readout.bytes = timeline->liveComponents();
        } else {
            readout.time = tr("At the peak, %1").arg(text(time));
            readout.bytes = timeline->peakComponents();
        }
        readout.reservedBytes = m_scene->reserved.at(time);
        if (!m_scene->chosen.bytes.empty())
            readout.chosenBytes = m_scene->chosen.at(time);
        if (const PhaseMark* mark = m_scene->phaseAt(time))
            readout.place = mark->step < 0 ? phaseTitle(mark->phase)
                                           : tr("Step %1 · %2")
                                                 .arg(QLocale().toString(static_cast<qlonglong>(mark->step)),
                                                      phaseTitle(mark->phase));
        if (m_reference) {
            readout.reference = timeline->at(*m_reference);
            readout.referenceText = tr("Δ from %1").arg(text(*m_reference));
        }
    }
    m_legend->setReadout(readout);
}

void MemoryTimelineView::setPhases(std::vector<PhaseMark> phases)
{
    std::stable_sort(phases.begin(), phases.end(),
                     [](const PhaseMark& a, const PhaseMark& b) { return a.timeSeconds < b.timeSeconds; });
    m_scene->phases = std::move(phases);
    updateStrip();
    scheduleRefresh();
}

void MemoryTimelineView::addPhase(const PhaseMark& phase)
{
    PhaseMark mark = phase;
    if (!m_scene->phases.empty())
        mark.timeSeconds = std::max(mark.timeSeconds, m_scene->phases.back().timeSeconds);
    m_scene->phases.push_back(mark);
    if (m_scene->phases.size() == 1)
        updateStrip();
    scheduleRefresh();
}

void MemoryTimelineView::setBudget(std::int64_t bytes)
{
    m_scene->budgetBytes = std::max<std::int64_t>(bytes, 0);
    scheduleRefresh();
}

void MemoryTimelineView::setPrediction(std::int64_t peakBytes, bool bound)
{
    m_scene->predictionIsBound = bound;
    m_scene->predictedBytes = std::max<std::int64_t>(peakBytes, 0);
    scheduleRefresh();
}

void MemoryTimelineView::setReserved(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes)
{
    m_scene->reserved = StepCurve::of(std::move(timeSeconds), std::move(bytes));
    scheduleRefresh();
}

void MemoryTimelineView::setChosenPart(std::vector<double> timeSeconds, std::vector<std::int64_t> bytes)
{
    m_scene->chosen = StepCurve::of(std::move(timeSeconds), std::move(bytes));
    updateReadout();
    scheduleRefresh();
}

void MemoryTimelineView::appendReserved(double timeSeconds, std::int64_t bytes)
{
    if (m_scene->reserved.append(timeSeconds, bytes))
        scheduleRefresh();
}

std::pair<std::vector<double>, std::vector<std::int64_t>> MemoryTimelineView::reserved() const
{
    return {m_scene->reserved.timeSeconds, m_scene->reserved.bytes};
}

void MemoryTimelineView::setMarks(std::vector<MarkUsage> marks)
{
    m_scene->marks.clear();
    for (MarkUsage& mark : marks)
        m_scene->marks.push_back(StepCurve::of(std::move(mark.timeSeconds), std::move(mark.bytes)));
    scheduleRefresh();
}

void MemoryTimelineView::setInstants(std::vector<TimelineInstant> instants)
{
    m_scene->instants = std::move(instants);
    scheduleRefresh();
}

void MemoryTimelineView::setPinned(std::optional<double> timeSeconds)
{
    m_pinned = timeSeconds;
    updateReadout();
}

void MemoryTimelineView::setFollow(bool follow)
{
    follow = follow && m_isLive;
    const QSignalBlocker block(m_followAction);
    m_followAction->setChecked(follow);
    if (follow == m_follow)
        return;
    m_follow = follow;
    if (follow)
        scheduleRefresh();
    emit followChanged(follow);
}

void MemoryTimelineView::setFollowSeconds(double seconds)
{
    m_followSeconds = seconds == kLastSteps ? seconds : std::max(seconds, 0.0);
    if (const int index = m_followSpan->findData(m_followSeconds); index >= 0)
        m_followSpan->setCurrentIndex(index);
    scheduleRefresh();
}

void MemoryTimelineView::suggestFollowSeconds(double seconds)
{
    if (!m_ownFollow)
        setFollowSeconds(seconds);
}

void MemoryTimelineView::viewMovedByUser()
{
    if (!m_movingBySelf)
        setFollow(false);
}

bool MemoryTimelineView::isComponentVisible(Component component) const
{
    return m_scene->visible[static_cast<std::size_t>(component)];
}

void MemoryTimelineView::setComponentVisible(Component component, bool visible)
{
    m_scene->visible[static_cast<std::size_t>(component)] = visible;
    m_legend->setComponentVisible(component, visible);
    contentChanged();
}

void MemoryTimelineView::setCursor(double timeSeconds)
{
    m_cursor = timeSeconds;
    updateCursorItems();
    updateReadout();
    emit cursorMoved(timeSeconds);
}

void MemoryTimelineView::clearCursor()
{
    if (!m_cursor)
        return;
    m_cursor.reset();
    updateCursorItems();
    updateReadout();
    emit cursorLeft();
}

void MemoryTimelineView::setReference(double timeSeconds)
{
    m_reference = timeSeconds;
    updateCursorItems();
    updateReadout();
    emit referenceChanged();
}

void MemoryTimelineView::clearReference()
{
    m_reference.reset();
    updateCursorItems();
    updateReadout();
    emit referenceChanged();
}

void MemoryTimelineView::updateCursorItems()
{
    placeCursorLine(m_cursorLine, m_cursor);
    placeCursorLine(m_referenceLine, m_reference);
    plot()->layer(QStringLiteral("overlay"))->replot();
}

void MemoryTimelineView::goToPeak()
{
    if (!m_scene->timeline || m_scene->timeline->size() == 0)
        return;
    const double time = m_scene->timeline->peakSeconds();
    const double lower = visibleLower(), upper = visibleUpper();
    if (time < lower || time > upper) {
        setFollow(false);
        setVisibleRange(time - (upper - lower) / 2, time + (upper - lower) / 2);
    }
    setCursor(time);
}

void MemoryTimelineView::updateStrip()
{
    const int height = m_scene->phases.empty() ? 4 : 2 * (QFontMetrics(font()).height() + 1) + 4;
    m_strip->setMinimumSize(0, height);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, height);
}

void MemoryTimelineView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    updateStrip();
    m_cursorLine->setPen(QPen(theme.cursor, 1));
    m_referenceLine->setPen(QPen(theme.accent, 1, Qt::DashLine));
    m_edges->setColor(theme.accent);
    updateEdges();
    const QColor enabled = palette().color(QPalette::Active, QPalette::ButtonText);
    const QColor disabled = palette().color(QPalette::Disabled, QPalette::ButtonText);
    m_followAction->setIcon(plotIcon(PlotIcon::Follow, enabled, disabled));
    m_legendAction->setIcon(plotIcon(PlotIcon::Legend, enabled, disabled));
    m_peakAction->setIcon(plotIcon(PlotIcon::Peak, enabled, disabled));
    m_referenceAction->setIcon(plotIcon(PlotIcon::Reference, enabled, disabled));
    updateReadout();
}

void MemoryTimelineView::resizeEvent(QResizeEvent* event)
{
    PlotView::resizeEvent(event);
    updateLegendPlacement();
}

void MemoryTimelineView::updateLegendPlacement()
{
    const int legendWidth = m_legend->preferredWidth();
    // Below the plot only where that leaves the plot its height.
    const int letters = height() < kRoomForBoth ? 24 : 50;
    const Qt::Orientation wanted =
        width() < legendWidth + fontMetrics().averageCharWidth() * letters ? Qt::Vertical : Qt::Horizontal;
    if (body()->orientation() != wanted)
        m_legendMovedByUser = false;
    body()->setOrientation(wanted);
    if (m_legendMovedByUser)
        return;
    body()->setSizes(wanted == Qt::Horizontal ? QList{width() - legendWidth, legendWidth}
                                              : QList{height() * 3 / 5, height() * 2 / 5});
}

bool MemoryTimelineView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    if (event->type() == QEvent::MouseMove) {
        const QPointF position = static_cast<QMouseEvent*>(event)->position();
        const QRect rect = plot()->xAxis->axisRect()->rect();
        if (position.x() >= rect.left() && position.x() <= rect.right())
            setCursor(plot()->xAxis->pixelToCoord(position.x()));
        else
            clearCursor();
    } else if (event->type() == QEvent::Leave) {
        clearCursor();
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool left = key->key() == Qt::Key_Left, right = key->key() == Qt::Key_Right;
        if ((left || right) && key->modifiers() == Qt::AltModifier) {
            const double lower = visibleLower(), upper = visibleUpper(), step = (upper - lower) / 200;
            setCursor(std::clamp(m_cursor.value_or((lower + upper) / 2) + (left ? -step : step), lower, upper));
            return true;
        }
    }
    return false;
}

QString MemoryTimelineView::summary() const
{
    return timelineSummary(m_scene->timeline, m_scene->budgetBytes, m_scene->predictedBytes, m_scene->predictionIsBound,
                           m_axis);
}

QString MemoryTimelineView::visibleDataTsv() const
{
    return timelineTsv(m_scene->timeline, visibleLower(), visibleUpper(), kCopiedRows, m_axis);
}

} // namespace peakscope
