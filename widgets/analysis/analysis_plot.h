// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The base of the analysis views: a painted plot on axes of noise and answers, a read-out line and a legend of markers
// under it. Private to the analysis views; GUI thread.
#pragma once

#include "widgets/analysis/analysis_style.h"
#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_view.h"

#include <vector>

class QLabel;
class QMouseEvent;

namespace peakscope {

class MarkerLegend;

// One marker as a picture in device pixels, premultiplied; `alpha` of 1 is opaque.
QImage markerImage(const MarkerStyle& style, double radius, double ratio, double alpha = 1);
// The radius of a point of a curve.
inline constexpr double kCurveMarker = 4.5;
// Draws a marker with the painter.
void paintMarker(QPainter& painter, QPointF centre, double radius, const MarkerStyle& style);

struct LegendMark {
    QString text;
    MarkerStyle marker;
    bool line = false;   // a piece of line behind the marker
    bool dashed = false; // that line
};

class AnalysisPlot : public PlotView
{
    Q_OBJECT
public:
    explicit AnalysisPlot(LanguageText title, QWidget* parent = nullptr);

    QString readout() const;
    const std::vector<LegendMark>& legend() const;

protected:
    // Call where what the read-out says has changed.
    void updateReadout();
    void setLegend(std::vector<LegendMark> marks);

    virtual QString readoutText() const = 0;
    virtual void paint(QPainter& painter, const PlotGeometry& geometry) = 0;
    // The pointer is at a place of the plot; false: outside the axes, or gone.
    virtual void pointed(QPointF pixel, bool inside) = 0;
    // Mouse before the zoom and pan of every plot; true: taken.
    virtual bool mousePressed(const QMouseEvent&) { return false; }
    virtual bool mouseMoved(const QMouseEvent&) { return false; }
    virtual bool mouseReleased(const QMouseEvent&) { return false; }
    virtual bool keyPressed(int, Qt::KeyboardModifiers) { return false; }

    QPointF toPixel(double x, double y) const;
    QPointF toPlot(QPointF pixel) const;
    bool insideAxes(QPointF pixel) const;
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showReadout();

    QLabel* m_readout = nullptr;
    QString m_readoutText;
    MarkerLegend* m_legend = nullptr;
};

} // namespace peakscope
