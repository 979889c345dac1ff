// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/chart_view.h"

#include "core/results/tables.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QKeyEvent>

#include <utility>

namespace peakscope {

namespace {

AxisArea areaOf(const PlotGeometry& geometry)
{
    const auto& [rect, x0, x1, y0, y1, reversed] = geometry;
    return {rect, x0, x1, reversed ? y1 : y0, reversed ? y0 : y1};
}

} // namespace

ChartView::ChartView(LanguageText title, std::unique_ptr<Chart> chart, QWidget* parent)
    : ReadoutPlot(std::move(title), parent), m_chart(std::move(chart))
{
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis})
        axis->grid()->setVisible(false);
    setMarks(plot()->xAxis, [this](double, double, int) { return m_chart->x().marks; });
    setMarks(plot()->yAxis, [this](double, double, int) { return m_chart->y().marks; });
}

void ChartView::setCurrent(std::optional<QPointF> place)
{
    m_current = place;
    refresh();
}

std::optional<QPointF> ChartView::placeAt(QPointF point) const
{
    if (!plot()->axisRect()->rect().contains(point.toPoint()))
        return std::nullopt;
    return m_chart->snapped({plot()->xAxis->pixelToCoord(point.x()), plot()->yAxis->pixelToCoord(point.y())});
}

QPointF ChartView::pointOf(QPointF place) const
{
    return {plot()->xAxis->coordToPixel(place.x()), plot()->yAxis->coordToPixel(place.y())};
}

void ChartView::showChart()
{
    const AxisArea range = m_chart->range();
    setArea({range.xLow, range.xHigh, range.yLow, range.yHigh});
    if (range != std::exchange(m_shown, range))
        interaction()->startAnew();
    setCursorAt(std::nullopt);
    sayAxes();
    refresh();
}

void ChartView::sayAxes()
{
    plot()->xAxis->setLabel(m_chart->x().title);
    plot()->yAxis->setLabel(m_chart->y().title);
}

std::optional<QPointF> ChartView::snapped(QPointF place) const
{
    return m_chart->snapped(place);
}

void ChartView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    if (m_chart->empty())
        return;
    ScreenCanvas canvas(painter, theme(), font());
    const AxisArea area = areaOf(geometry);
    m_chart->paint(canvas, area);
    // The legend says what is drawn; it can't change its height while the plot is painted.
    if (const bool numbered = m_chart->numbersFit(canvas, area); numbered != std::exchange(m_numbered, numbered))
        QMetaObject::invokeMethod(
            const_cast<ChartView*>(this), [view = const_cast<ChartView*>(this)] { view->updateLegend(); },
            Qt::QueuedConnection);
    if (cursor())
        m_chart->mark(canvas, area, *cursor(), theme().cursor, 1);
    if (m_current)
        m_chart->mark(canvas, area, *m_current, theme().accent, 3);
}

QString ChartView::readoutAt(const std::optional<QPointF>& place) const
{
    return m_chart->empty() ? QString() : m_chart->readout(place ? place : m_current);
}

void ChartView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    for (const LegendEntry& entry : m_chart->legend(screenColors(theme()))) {
        const auto sign = [this, entry](QPainter& painter, const QRectF& box) {
            ScreenCanvas canvas(painter, theme(), font());
            drawLegendSign(canvas, box, entry);
        };
        entries.push_back({entry.text, {}, Qt::NoPen, sign});
    }
    for (const QString& part : m_chart->empty() ? QStringList() : m_chart->caption(m_numbered))
        entries.push_back({part, Qt::NoBrush, Qt::NoPen});
    legend()->setEntries(std::move(entries));
}

void ChartView::applyTheme(const ChartTheme& theme)
{
    sayAxes();
    ReadoutPlot::applyTheme(theme);
}

bool ChartView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return ReadoutPlot::eventFilter(watched, event);
    const auto under = [&] { return placeAt(static_cast<QMouseEvent*>(event)->position()); };
    if (event->type() == QEvent::MouseButtonDblClick) {
        if (const auto place = under()) {
            emit placeActivated(*place);
            return true; // elsewhere a double click shows everything
        }
    } else if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag chooses.
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && !interaction()->isDragging()) {
            if (const auto place = under()) {
                setCurrent(place);
                emit placeSelected(*place);
            }
        }
        return false;
    } else if (event->type() == QEvent::KeyPress && !m_chart->empty()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int dx = (key->key() == Qt::Key_Right) - (key->key() == Qt::Key_Left);
        const int dy = (key->key() == Qt::Key_Up) - (key->key() == Qt::Key_Down);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && m_current) {
            emit placeActivated(*m_current);
            return true;
        }
        if ((key->modifiers() & Qt::ControlModifier) && (dx || dy)) { // plain arrows pan, as in every plot
            setCursorAt(std::nullopt);
            setCurrent(m_chart->step(m_current, dx, plot()->yAxis->rangeReversed() ? -dy : dy));
            emit placeSelected(*m_current);
            return true;
        }
    }
    return ReadoutPlot::eventFilter(watched, event);
}

QString ChartView::summary() const
{
    return m_chart->summary();
}

QString ChartView::visibleDataTsv() const
{
    const PlotArea view = interaction()->view();
    return QString::fromStdString(toTsv(m_chart->table({{}, view.x0, view.x1, view.y0, view.y1})));
}

} // namespace peakscope
