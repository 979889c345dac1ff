// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/readout_plot.h"

#include "widgets/look/pieces.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/plain_text.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// As much of a text as two lines hold, with an ellipsis where it goes on.
class TwoLineLabel : public QLabel
{
public:
    TwoLineLabel() { setMinimumWidth(1); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        const QRect room = contentsRect();
        const QFontMetrics metrics = fontMetrics();
        QTextLayout layout(text(), font());
        layout.beginLayout();
        const QTextLine first = layout.createLine();
        qsizetype end = text().size();
        if (first.isValid()) {
            QTextLine line = first;
            line.setLineWidth(room.width());
            end = line.textStart() + line.textLength();
        }
        layout.endLayout();
        const int top = room.top() + metrics.ascent();
        painter.drawText(room.left(), top, text().left(end).trimmed());
        painter.drawText(room.left(), top + metrics.lineSpacing(),
                         metrics.elidedText(text().mid(end).trimmed(), Qt::ElideRight, room.width()));
    }
};

} // namespace

ReadoutPlot::ReadoutPlot(LanguageText title, QWidget* parent) : PlotView(std::move(title), parent)
{
    addPaintedPlottable(plot()->xAxis, plot()->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { paintPlot(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    m_readout = new TwoLineLabel;
    makeReadout(m_readout, 2, fontMetrics(), [] { return tr("Values at the cursor"); });
    m_legend = new LegendStrip;
    // In one widget that is as high as both, so that all that is left goes to the plot.
    auto* footer = new QWidget;
    footer->setBackgroundRole(QPalette::Base);
    footer->setAutoFillBackground(true);
    footer->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* column = makeBox<QVBoxLayout>(footer, {}, 0);
    column->addWidget(m_readout);
    column->addWidget(m_legend);
    putUnder({footer});
    plot()->installEventFilter(this);
}

QString ReadoutPlot::readout() const
{
    return m_readout->text();
}

void ReadoutPlot::setCursorAt(std::optional<QPointF> place)
{
    if (place)
        place = snapped(*place);
    if (place == m_cursor)
        return;
    m_cursor = place;
    showReadout();
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

QPointF ReadoutPlot::stepFrom(const QPointF& place, int dx, int dy) const
{
    constexpr double kSteps = 60;
    const PlotArea view = interaction()->view();
    return {std::clamp(place.x() + dx * (view.x1 - view.x0) / kSteps, view.x0, view.x1),
            std::clamp(place.y() + dy * (view.y1 - view.y0) / kSteps, view.y0, view.y1)};
}

void ReadoutPlot::showReadout()
{
    m_readout->setText(readoutAt(m_cursor));
    m_readout->setToolTip(plainToolTip(m_readout->text())); // all of it
}

void ReadoutPlot::refresh()
{
    updateLegend();
    showReadout();
    contentChanged();
}

void ReadoutPlot::setArea(const PlotArea& area)
{
    interaction()->setBounds(area);
}

void ReadoutPlot::drawCursorLine(QPainter& painter, const PlotGeometry& geometry) const
{
    if (!m_cursor)
        return;
    const double x = std::floor(geometry.xPixel(m_cursor->x())) + 0.5;
    painter.setPen(QPen(theme().cursor, 1));
    painter.drawLine(QPointF(x, geometry.rect.top()), QPointF(x, geometry.rect.bottom()));
}

void ReadoutPlot::applyTheme(const ChartTheme&)
{
    updateLegend();
    showReadout();
}

bool ReadoutPlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    if (event->type() == QEvent::MouseMove) {
        const QPointF point = static_cast<QMouseEvent*>(event)->position();
        if (plot()->axisRect()->rect().contains(point.toPoint()))
            setCursorAt(QPointF(plot()->xAxis->pixelToCoord(point.x()), plot()->yAxis->pixelToCoord(point.y())));
        else if (m_cursor)
            setCursorAt(std::nullopt);
    } else if (event->type() == QEvent::Leave && m_cursor) {
        setCursorAt(std::nullopt);
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int dx = (key->key() == Qt::Key_Right) - (key->key() == Qt::Key_Left);
        const int dy = (key->key() == Qt::Key_Up) - (key->key() == Qt::Key_Down);
        if ((key->modifiers() & Qt::ControlModifier) && (dx || dy)) {
            const PlotArea view = interaction()->view();
            const QPointF middle((view.x0 + view.x1) / 2, (view.y0 + view.y1) / 2);
            setCursorAt(stepFrom(m_cursor.value_or(middle), dx, dy));
            return true;
        }
    }
    return false;
}

} // namespace peakscope
