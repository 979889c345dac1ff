// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_plot.h"

#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/plain_text.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

// Wraps where the view is narrow.
class MarkerLegend : public QWidget
{
public:
    using QWidget::QWidget;

    std::vector<LegendMark> marks;
    QColor text;

    void refresh()
    {
        setVisible(!marks.empty());
        if (!marks.empty())
            setFixedHeight(lay(nullptr));
        sayWhole();
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        lay(&painter);
    }
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        setFixedHeight(marks.empty() ? 0 : lay(nullptr));
        sayWhole();
    }

private:
    // Of a name, beside its sample.
    double room(double sample) const { return width() - 8 - sample - 4 - 8; }
    static double sampleOf(const LegendMark& mark) { return mark.line ? 24 : 12; }

    // What is shortened stands in the tooltip.
    void sayWhole()
    {
        QStringList cut;
        for (const LegendMark& mark : marks) {
            if (QFontMetricsF(font()).horizontalAdvance(mark.text) > room(sampleOf(mark)))
                cut << mark.text;
        }
        setToolTip(plainToolTip(cut.join(u'\n')));
    }

    // Paints where there is a painter; the height that is needed.
    int lay(QPainter* painter) const
    {
        const QFontMetricsF metrics(font());
        const double pitch = metrics.height() + 2, gap = 12;
        double x = 8, y = 2 + pitch / 2;
        for (const LegendMark& mark : marks) {
            const double sample = sampleOf(mark);
            const bool fits = metrics.horizontalAdvance(mark.text) <= room(sample);
            const QString name = fits ? mark.text : metrics.elidedText(mark.text, Qt::ElideMiddle, room(sample));
            const double entry = sample + 4 + metrics.horizontalAdvance(name);
            if (x > 8 && x + entry > width()) {
                x = 8;
                y += pitch;
            }
            if (painter) {
                if (mark.line) {
                    painter->setPen(
                        QPen(mark.marker.color, 1.6, mark.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
                    painter->drawLine(QPointF(x, y), QPointF(x + sample, y));
                }
                paintMarker(*painter, {x + sample / 2, y}, 4, mark.marker);
                painter->setPen(text);
                painter->drawText(QPointF(x + sample + 4, y + (metrics.ascent() - metrics.descent()) / 2), name);
            }
            x += entry + gap;
        }
        return static_cast<int>(std::ceil(y + pitch / 2 + 2));
    }
};

void paintMarker(QPainter& painter, QPointF centre, double radius, const MarkerStyle& style)
{
    if (style.shape == MarkerShape::Cross) {
        const double arm = radius * 0.9;
        painter.setPen(QPen(style.color, std::max(1.0, radius * 0.4), Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(centre + QPointF(-arm, -arm), centre + QPointF(arm, arm));
        painter.drawLine(centre + QPointF(-arm, arm), centre + QPointF(arm, -arm));
        return;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.color);
    painter.drawPolygon(markerPolygon(style.shape, radius).translated(centre));
}

QImage markerImage(const MarkerStyle& style, double radius, double ratio, double alpha)
{
    const int side = 2 * static_cast<int>(std::ceil(radius * 1.4 * ratio)) + 1;
    QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(alpha);
    paintMarker(painter, {side / 2.0, side / 2.0}, radius * ratio, style);
    return image;
}

AnalysisPlot::AnalysisPlot(LanguageText title, QWidget* parent) : PlotView(std::move(title), parent)
{
    QCustomPlot* plot = this->plot();
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_readout = new QLabel;
    m_readout->setObjectName(QStringLiteral("readout"));
    makeReadout(m_readout, 2, fontMetrics(), [] { return tr("Values under the pointer"); });
    m_legend = new MarkerLegend;
    m_legend->setBackgroundRole(QPalette::Base);
    m_legend->setAutoFillBackground(true);
    putUnder({m_legend, m_readout});
    m_legend->hide();
    plot->setMouseTracking(true);
    plot->installEventFilter(this);
}

QString AnalysisPlot::readout() const
{
    return m_readoutText;
}

void AnalysisPlot::resizeEvent(QResizeEvent* event)
{
    PlotView::resizeEvent(event);
    showReadout();
}

// Of a low view a line is all that words may take from the plot; the whole stands in the tooltip.
void AnalysisPlot::showReadout()
{
    constexpr int kLowLines = 16;
    const QFontMetrics metrics(m_readout->font());
    const int line = metrics.lineSpacing();
    const bool low = height() < kLowLines * line;
    m_readout->setFixedHeight((low ? 1 : 2) * line + 6);
    const int room = width() - 16;
    const bool cut = low && metrics.horizontalAdvance(m_readoutText) > room;
    m_readout->setText(cut ? metrics.elidedText(m_readoutText, Qt::ElideRight, room) : m_readoutText);
    m_readout->setToolTip(cut ? plainToolTip(m_readoutText) : QString());
}

const std::vector<LegendMark>& AnalysisPlot::legend() const
{
    return m_legend->marks;
}

void AnalysisPlot::updateReadout()
{
    m_readoutText = readoutText();
    showReadout();
}

void AnalysisPlot::setLegend(std::vector<LegendMark> marks)
{
    m_legend->marks = std::move(marks);
    m_legend->refresh();
}

QPointF AnalysisPlot::toPixel(double x, double y) const
{
    return {plot()->xAxis->coordToPixel(x), plot()->yAxis->coordToPixel(y)};
}

QPointF AnalysisPlot::toPlot(QPointF pixel) const
{
    return {plot()->xAxis->pixelToCoord(pixel.x()), plot()->yAxis->pixelToCoord(pixel.y())};
}

bool AnalysisPlot::insideAxes(QPointF pixel) const
{
    return plot()->axisRect()->rect().contains(pixel.toPoint());
}

void AnalysisPlot::applyTheme(const ChartTheme& theme)
{
    m_legend->text = theme.text;
    m_legend->update();
    updateReadout();
}

bool AnalysisPlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return mousePressed(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove: {
        const auto& mouse = *static_cast<QMouseEvent*>(event);
        if (mouseMoved(mouse))
            return true;
        pointed(mouse.position(), insideAxes(mouse.position()));
        return false;
    }
    case QEvent::MouseButtonRelease:
        return mouseReleased(*static_cast<QMouseEvent*>(event));
    case QEvent::Leave:
        pointed({}, false);
        return false;
    case QEvent::KeyPress: {
        const auto* key = static_cast<QKeyEvent*>(event);
        return keyPressed(key->key(), key->modifiers());
    }
    default:
        return false;
    }
}

} // namespace peakscope
