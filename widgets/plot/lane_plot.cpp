// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/lane_plot.h"

#include "widgets/look/component_palette.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/row_scroll.h"

#include <qcustomplot.h>

#include <algorithm>
#include <set>

namespace peakscope {

void LanePlot::buildLanes()
{
    m_cursorLine = new QCPItemStraightLine(plot());
    m_cursorLine->setLayer(QStringLiteral("overlay"));
    m_cursorLine->setVisible(false);
    m_cursorLine->setSelectable(false);
    m_cursorLine->setAntialiased(false);
    interaction()->setZoomOrientations(Qt::Horizontal);
    // Lanes have no vertical zoom: all of them stay in the picture on one scale.
    connect(interaction(), &PlotInteraction::viewChanged, this, [this] {
        PlotArea view = interaction()->view();
        const PlotArea& bounds = interaction()->bounds();
        if (m_settingView || (view.y0 == bounds.y0 && view.y1 == bounds.y1))
            return;
        m_settingView = true;
        view.y0 = bounds.y0;
        view.y1 = bounds.y1;
        interaction()->setView(view, false);
        m_settingView = false;
    });
    plot()->installEventFilter(this);
    m_scroll = new RowScroll(plot());
    connect(m_scroll, &QScrollBar::valueChanged, this,
            [this](int first) { scrolled(static_cast<std::size_t>(first)); });
}

std::size_t LanePlot::scrollLanes(std::size_t count, std::size_t inSight, const QRect& place)
{
    return m_scroll->fit(count, inSight, place);
}

QScrollBar* LanePlot::scrollBar() const
{
    return m_scroll;
}

std::vector<LegendStrip::Entry> LanePlot::componentEntries(const std::vector<const MemoryTimeline*>& lanes) const
{
    std::vector<LegendStrip::Entry> entries;
    for (const Component component : componentStackOrder()) {
        const auto index = static_cast<std::size_t>(component);
        const bool used = std::any_of(lanes.begin(), lanes.end(), [index](const MemoryTimeline* timeline) {
            return timeline != nullptr && timeline->maxComponents()[index] > 0;
        });
        if (!used)
            continue;
        const QColor color = componentColor(component);
        const QColor edge = edgeColor(color, theme());
        entries.push_back({componentTitle(component), color, edge.isValid() ? QPen(edge, 1) : QPen(Qt::NoPen)});
    }
    return entries;
}

std::vector<LegendStrip::Entry> LanePlot::phaseEntries(const std::vector<const std::vector<PhaseMark>*>& lanes) const
{
    std::set<Phase> present;
    for (const std::vector<PhaseMark>* lane : lanes) {
        for (const PhaseMark& mark : *lane)
            present.insert(mark.phase);
    }
    std::vector<LegendStrip::Entry> entries;
    for (const Phase phase : present)
        entries.push_back({tr("Phase: %1").arg(phaseTitle(phase)), phaseStripColor(phase, theme().dark)});
    return entries;
}

void LanePlot::setCursor(double seconds)
{
    m_cursor = seconds;
    m_cursorLine->setVisible(true);
    m_cursorLine->point1->setCoords(seconds, 0);
    m_cursorLine->point2->setCoords(seconds, 1);
    plot()->layer(QStringLiteral("overlay"))->replot();
    updateReadout();
    emit cursorMoved(seconds);
}

void LanePlot::clearCursor()
{
    if (!m_cursor)
        return;
    m_cursor.reset();
    m_cursorLine->setVisible(false);
    plot()->layer(QStringLiteral("overlay"))->replot();
    updateReadout();
}

bool LanePlot::moveCursor(QEvent* event)
{
    if (event->type() == QEvent::MouseMove) {
        const double x = static_cast<QMouseEvent*>(event)->position().x();
        const QRect rect = plot()->xAxis->axisRect()->rect();
        if (x >= rect.left() && x <= rect.right())
            setCursor(plot()->xAxis->pixelToCoord(x));
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

void LanePlot::applyTheme(const ChartTheme& theme)
{
    m_cursorLine->setPen(QPen(theme.cursor, 1));
}

} // namespace peakscope
