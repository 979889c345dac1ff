// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/ranks_view.h"

#include "widgets/look/component_palette.h"
#include "widgets/plot/lane_ticker.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"
#include "widgets/timeline/ranks_scene.h"
#include "widgets/timeline/timeline_edges.h"
#include "widgets/timeline/timeline_span.h"
#include "widgets/timeline/timeline_text.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kMarkerHeadRoom = 1.12; // above the highest peak, for its marker
constexpr double kFactLines = 3;         // that every lane has room for

QString textOf(const RankFact& fact)
{
    QStringList parts{fact.text, fact.detail, fact.mark};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

} // namespace

RanksView::RanksView(QWidget* parent)
    : LanePlot([] { return tr("Memory of every rank"); }, parent), m_scene(std::make_unique<RanksScene>())
{
    explain([] { return tr("A strip is a rank, all on one scale of memory and time. Bands are components."); },
            "sharding");
    m_scene->font = font();
    buildPlot();
    buildFrame();
    setRanks({}, {});
}

RanksView::~RanksView() = default;

void RanksView::buildPlot()
{
    QCustomPlot* plot = this->plot();
    plot->plotLayout()->insertRow(0);
    plot->plotLayout()->setRowSpacing(0);
    plot->plotLayout()->setColumnSpacing(10);
    m_strip = new QCPAxisRect(plot);
    plot->plotLayout()->addElement(0, 0, m_strip);
    m_strip->setAutoMargins(QCP::msLeft | QCP::msRight);
    m_strip->setMargins(QMargins(0, 2, 0, 0));
    m_facts = new QCPAxisRect(plot);
    plot->plotLayout()->addElement(1, 1, m_facts);
    m_facts->setAutoMargins(QCP::msTop | QCP::msBottom);
    m_facts->setMargins(QMargins(0, 0, 0, 0));
    for (const QCPAxisRect* rect : {m_strip, m_facts}) {
        for (QCPAxis* axis : rect->axes())
            axis->setVisible(false);
    }
    auto* sides = new QCPMarginGroup(plot);
    auto* ends = new QCPMarginGroup(plot);
    QCPAxisRect* main = plot->xAxis->axisRect();
    m_strip->setMarginGroup(QCP::msLeft | QCP::msRight, sides);
    main->setMarginGroup(QCP::msLeft | QCP::msRight, sides);
    main->setMarginGroup(QCP::msTop | QCP::msBottom, ends);
    m_facts->setMarginGroup(QCP::msTop | QCP::msBottom, ends);
    QCPAxis* stripTime = m_strip->axis(QCPAxis::atBottom);
    connect(plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), stripTime,
            qOverload<const QCPRange&>(&QCPAxis::setRange));

    setTimeScale(plot->xAxis, [] { return tr("Time"); });
    plot->yAxis->grid()->setVisible(false);
    setLaneTicks(plot->yAxis, &m_scene->ticks, [this](const QRectF& rect) {
        return LaneLayout{m_scene->end() - m_scene->first, m_scene->topBytes,
                          [this, rect](std::size_t row) { return m_scene->rowArea(rect, row); }};
    });
    const auto add = [](QCPAxisRect* rect, auto paint) {
        addPaintedPlottable(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft), std::move(paint));
    };
    add(main, [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    add(m_strip, [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paintStrip(painter, geometry); });
    add(m_facts, [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paintFacts(painter, geometry); });
    buildLanes();
    m_edges = new TimelineEdges(plot);
    connect(m_edges, &TimelineEdges::clicked, this, &PlotView::resetZoom);
    connect(interaction(), &PlotInteraction::viewChanged, this, &RanksView::showEdges);
}

void RanksView::showEdges()
{
    m_edges->show(interaction()->bounds(), interaction()->view(), true);
}

void RanksView::buildFrame()
{
    const auto addLine = [this](int index) {
        auto* label = new QLabel;
        makeReadout(label, 1, fontMetrics());
        body()->insertWidget(index, label);
        return label;
    };
    body()->setOrientation(Qt::Vertical);
    body()->setHandleWidth(0);
    m_headline = addLine(0);
    m_readout = addLine(2);
    m_legend = new LegendStrip;
    body()->addWidget(m_legend);
    body()->setStretchFactor(0, 0);
    body()->setStretchFactor(1, 1);
    inLanguage(scrollBar(), [this] { scrollBar()->setAccessibleName(tr("Ranks in sight")); });
}

void RanksView::scrolled(std::size_t first)
{
    m_scene->first = first;
    updateReadout();
    contentChanged();
}

void RanksView::setRanks(std::vector<RankLane> lanes, const RankBalance& balance)
{
    clearCursor();
    m_scene->first = 0;
    refresh(std::move(lanes), balance);
    interaction()->startAnew();
    showSteps();
    interaction()->clearSelection();
}

// Loading takes most of a program's time, and its steps are what one compares.
void RanksView::showSteps()
{
    std::vector<SpannedRun> runs;
    for (const RankLane& lane : m_scene->lanes) {
        if (lane.timeline && lane.timeline->size() > 0)
            runs.push_back({&lane.phases, lane.timeline.get()});
    }
    const PlotArea& bounds = interaction()->bounds();
    const TimeSpan steps = stepsSpan(runs, {bounds.x0, bounds.x1});
    interaction()->setView({steps.begin, steps.end, bounds.y0, bounds.y1}, false);
}

void RanksView::refresh(std::vector<RankLane> lanes, const RankBalance& balance)
{
    m_scene->lanes = std::move(lanes);
    m_scene->balance = balance;
    m_scene->scenes.clear();
    for (const RankLane& lane : m_scene->lanes) {
        TimelineScene scene;
        scene.timeline = lane.timeline.get();
        scene.phases = lane.phases;
        scene.theme = theme();
        scene.font = font();
        m_scene->scenes.push_back(std::move(scene));
    }
    setPlaceholder(
        [none = m_scene->lanes.empty()] { return none ? tr("This run was not on several ranks.") : QString(); });
    updateBounds();
    updateTexts();
    updateRows();
    contentChanged();
}

void RanksView::updateBounds()
{
    PlotArea bounds{0, 1e-3, 0, 1};
    double most = 1024;
    bool first = true;
    for (const RankLane& lane : m_scene->lanes) {
        if (!lane.timeline || lane.timeline->size() == 0)
            continue;
        double begin = lane.timeline->startSeconds(), end = lane.timeline->endSeconds();
        if (!lane.phases.empty()) {
            begin = std::min(begin, lane.phases.front().timeSeconds);
            end = std::max(end, lane.phases.back().timeSeconds);
        }
        bounds.x0 = first ? begin : std::min(bounds.x0, begin);
        bounds.x1 = first ? end : std::max(bounds.x1, end);
        first = false;
        most = std::max(most, static_cast<double>(lane.timeline->peakBytes()));
    }
    bounds.x1 = std::max(bounds.x1, bounds.x0 + 1e-3);
    m_scene->topBytes = most * kMarkerHeadRoom;
    interaction()->setBounds(bounds);
    showEdges();
}

// As many lanes as have room for their words; the others are reached by scrolling.
void RanksView::updateRows()
{
    const auto count = static_cast<int>(m_scene->lanes.size());
    const QFontMetrics metrics(m_scene->font);
    const double least = kFactLines * (metrics.height() + 1) + RanksScene::kLaneGap;
    // What the plot has for lanes: without the strip above and the time axis under them.
    const int used = m_strip->minimumSize().height() + metrics.height() * 5 / 2 + 12;
    const int room = std::max(1, static_cast<int>((plot()->height() - used) / least));
    const int rows = std::clamp(std::min(room, kMostInSight), 1, std::max(1, count));
    m_scene->rows = static_cast<std::size_t>(rows);
    const int top = m_strip->minimumSize().height();
    m_scene->first =
        scrollLanes(m_scene->lanes.size(), m_scene->rows, {0, top, plot()->width(), plot()->height() - used});
    const int beside = scrollBar()->isHidden() ? 0 : scrollBar()->width() + 4;
    m_facts->setMargins(QMargins(0, 0, beside, 0));
}

void RanksView::updateFactsWidth()
{
    bool strip = false;
    double width = 0;
    for (std::size_t lane = 0; lane < m_scene->lanes.size(); ++lane) {
        strip = strip || !m_scene->lanes[lane].phases.empty();
        for (const RankFact& fact : m_scene->facts(lane))
            width = std::max(width, m_scene->widthOf(fact) + 12);
    }
    const int most = std::max(160, plot()->width() * 2 / 5);
    const int chosen = std::clamp(static_cast<int>(std::ceil(width)), 120, most) +
                       (scrollBar()->isHidden() ? 0 : scrollBar()->width() + 4);
    m_facts->setMinimumSize(chosen, 0);
    m_facts->setMaximumSize(chosen, QWIDGETSIZE_MAX);
    const int height = strip ? 2 * (QFontMetrics(m_scene->font).height() + 2) + 2 : 4;
    m_strip->setMinimumSize(0, height);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, height);
}

void RanksView::updateTexts()
{
    plot()->yAxis->setLabel(tr("Memory (%1)").arg(byteScaleFor(m_scene->topBytes).unit));
    updateFactsWidth();
    showHeadline();
    updateReadout();
    std::vector<const MemoryTimeline*> timelines;
    for (const RankLane& lane : m_scene->lanes)
        timelines.push_back(lane.timeline.get());
    m_legend->setEntries(componentEntries(timelines));
}

QString RanksView::headline() const
{
    return balanceText(m_scene->balance);
}

// Cut where there is no room; the tooltip holds the whole.
void RanksView::showHeadline()
{
    const QString text = headline();
    m_headline->setText(m_headline->fontMetrics().elidedText(text, Qt::ElideRight, std::max(100, width() - 20)));
    m_headline->setAccessibleName(text);
    m_headline->setToolTip(
        plainToolTip(text + QLatin1Char('\n') +
                     tr("Imbalance is the largest value divided by the mean, less one. Waiting for other ranks "
                        "counts as communication.")));
    m_headline->setVisible(!text.isEmpty());
}

QString RanksView::readout() const
{
    QStringList parts;
    parts << (cursor() ? tr("At %1, by rank:")
                             .arg(timelineTimeText(*cursor(), visibleLower(), visibleUpper(),
                                                   std::max(1, plot()->xAxis->axisRect()->width())))
                       : tr("At their peaks, by rank:"));
    for (std::size_t lane = m_scene->first; lane < m_scene->end(); ++lane) {
        const QString rank = QLocale().toString(static_cast<qlonglong>(m_scene->lanes[lane].figures.rank));
        if (!m_scene->isRecorded(lane))
            continue;
        const MemoryTimeline& timeline = *m_scene->lanes[lane].timeline;
        // Outside its record it has no value, which is not zero.
        const bool known = !cursor() || (*cursor() >= timeline.startSeconds() && *cursor() <= timeline.endSeconds());
        const std::int64_t bytes = cursor() ? timeline.totalAt(*cursor()) : timeline.peakBytes();
        parts << QStringLiteral("%1: %2").arg(rank, known ? bytesText(bytes) : QStringLiteral("–"));
    }
    return parts.size() > 1 ? parts.join(QStringLiteral("   ")) : QString();
}

void RanksView::updateReadout()
{
    const QString text = readout();
    m_readout->setText(text);
    m_readout->setToolTip(plainToolTip(text));
    m_readout->setAccessibleName(text);
    m_readout->setVisible(!text.isEmpty());
}

QStringList RanksView::factsOf(int lane) const
{
    QStringList lines;
    if (lane < 0 || lane >= static_cast<int>(m_scene->lanes.size()))
        return lines;
    for (const RankFact& fact : m_scene->facts(static_cast<std::size_t>(lane)))
        lines << (textOf(fact));
    return lines;
}

int RanksView::firstInSight() const
{
    return static_cast<int>(m_scene->first);
}

int RanksView::inSight() const
{
    return static_cast<int>(m_scene->end() - m_scene->first);
}

void RanksView::scrollTo(int lane)
{
    scrollBar()->setValue(lane);
}

int RanksView::laneAt(double pixelY) const
{
    const QRectF rect(plot()->xAxis->axisRect()->rect());
    for (std::size_t lane = m_scene->first; lane < m_scene->end(); ++lane) {
        const QRectF area = m_scene->rowArea(rect, lane - m_scene->first);
        if (pixelY >= area.top() && pixelY <= area.bottom())
            return static_cast<int>(lane);
    }
    return -1;
}

void RanksView::applyTheme(const ChartTheme& theme)
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

bool RanksView::scrollByKey(int key)
{
    if (!scrollBar()->isVisible() || (key != Qt::Key_PageUp && key != Qt::Key_PageDown))
        return false;
    scrollBar()->setValue(scrollBar()->value() + (key == Qt::Key_PageDown ? 1 : -1) * scrollBar()->pageStep());
    return true;
}

bool RanksView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return LanePlot::eventFilter(watched, event);
    if (moveCursor(event))
        return true;
    const QRect rect = plot()->xAxis->axisRect()->rect();
    switch (event->type()) {
    case QEvent::Resize:
        updateFactsWidth();
        updateRows();
        updateReadout();
        showHeadline();
        break;
    case QEvent::MouseButtonRelease: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag chooses the rank.
        const bool click = mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier;
        if (const int lane = laneAt(mouse->position().y()); click && !interaction()->isDragging() && lane >= 0)
            emit rankActivated(static_cast<int>(m_scene->lanes[static_cast<std::size_t>(lane)].index));
        break;
    }
    case QEvent::Wheel: {
        // Over the words the wheel scrolls the ranks, over the lanes it zooms time as everywhere.
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (scrollBar()->isVisible() && wheel->position().x() > rect.right()) {
            scrollBar()->setValue(scrollBar()->value() - (wheel->angleDelta().y() > 0 ? 1 : -1));
            return true;
        }
        break;
    }
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int lane = laneAt(help->pos().y());
        QStringList lines = factsOf(lane);
        if (lane >= 0 && !m_scene->lanes[static_cast<std::size_t>(lane)].message.isEmpty())
            lines << m_scene->lanes[static_cast<std::size_t>(lane)].message;
        if (help->pos().x() > rect.right() && !lines.isEmpty())
            QToolTip::showText(help->globalPos(), plainToolTip(lines.join(QLatin1Char('\n'))), plot());
        else
            QToolTip::hideText();
        break;
    }
    case QEvent::KeyPress:
        return scrollByKey(static_cast<QKeyEvent*>(event)->key());
    default:
        break;
    }
    return false;
}

QString RanksView::summary() const
{
    if (m_scene->lanes.empty())
        return tr("No ranks are shown.");
    const QString balance = headline();
    const QString count = tr("%1 ranks.").arg(m_scene->lanes.size());
    return balance.isEmpty() ? count : count + QLatin1Char(' ') + balance;
}

QString RanksView::visibleDataTsv() const
{
    QStringList columns;
    std::vector<const MemoryTimeline*> timelines;
    for (const RankLane& lane : m_scene->lanes) {
        columns << QStringLiteral("rank_%1_bytes").arg(static_cast<qlonglong>(lane.figures.rank));
        timelines.push_back(lane.timeline.get());
    }
    return lanesTsv(columns, timelines, visibleLower(), visibleUpper());
}

} // namespace peakscope
