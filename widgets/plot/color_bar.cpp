// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/color_bar.h"

#include "widgets/look/color_maps.h"
#include "widgets/look/theme.h"
#include "widgets/plot/mark_ticker.h"

#include <qcustomplot.h>

namespace peakscope {

QCPColorScale* addColorBar(QCustomPlot* plot, MarkFunction marks)
{
    auto* bar = new QCPColorScale(plot);
    bar->setType(QCPAxis::atRight);
    bar->setBarWidth(12);
    bar->setRangeDrag(false);
    bar->setRangeZoom(false);
    bar->setDataRange(QCPRange(-1, 1));
    plot->plotLayout()->addElement(0, 1, bar);
    auto* group = new QCPMarginGroup(plot);
    bar->setMarginGroup(QCP::msTop | QCP::msBottom, group);
    plot->axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, group);
    // A bar asks the group for the margins that it has: they would only grow.
    QObject::connect(plot, &QCustomPlot::beforeReplot, bar, [bar] { bar->setMargins({}); });
    setMarks(bar->axis(), std::move(marks));
    return bar;
}

void paintColorBar(QCPColorScale& bar, const ChartTheme& theme, const QFont& font)
{
    constexpr int kStops = 33;
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setLevelCount(4 * kStops);
    for (int i = 0; i < kStops; ++i) {
        const double place = static_cast<double>(i) / (kStops - 1);
        gradient.setColorStopAt(place, divergingColor(2 * place - 1, theme.dark));
    }
    bar.setGradient(gradient);
    QCPAxis* axis = bar.axis();
    axis->setLabelColor(theme.text);
    axis->setTickLabelColor(theme.text);
    axis->setLabelFont(font);
    axis->setTickLabelFont(font);
    for (QCPAxis* each : axis->axisRect()->axes()) {
        each->setBasePen(QPen(theme.axis, 1));
        each->setTickPen(QPen(theme.axis, 1));
        each->setSubTickPen(Qt::NoPen);
    }
}

} // namespace peakscope
