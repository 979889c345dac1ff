// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/axis_titles.h"

#include <qcustomplot.h>

namespace peakscope {

namespace {

constexpr const char* kWhole = "wholeTitle";
constexpr const char* kShown = "shownTitle";

// `stump`: shown however little is left; else not if that is less than half.
void fitTitle(QCPAxis* axis, int height, bool stump)
{
    // What was set since, by whoever owns the plot.
    if (axis->property(kShown).toString() != axis->label() || !axis->property(kWhole).isValid())
        axis->setProperty(kWhole, axis->label());
    const QFontMetrics metrics(axis->labelFont());
    QStringList lines;
    qsizetype left = 0; // letters of it
    for (const QString& line : axis->property(kWhole).toString().split(u'\n')) {
        lines << metrics.elidedText(line, Qt::ElideRight, height);
        left += lines.back() == line ? line.size() : lines.back().size() - 1;
    }
    QString shown = lines.join(u'\n');
    if (!stump && 2 * left < axis->property(kWhole).toString().size())
        shown.clear();
    if (shown != axis->label())
        axis->setLabel(shown);
    axis->setProperty(kShown, shown);
}

} // namespace

void keepTitlesInside(QCustomPlot* plot)
{
    QObject::connect(plot, &QCustomPlot::afterLayout, plot, [plot] {
        for (QCPAxisRect* rect : plot->axisRects()) {
            for (QCPAxis* axis : rect->axes(QCPAxis::atLeft | QCPAxis::atRight))
                fitTitle(axis, rect->height(), true);
        }
        for (QCPLayoutElement* element : plot->plotLayout()->elements(false)) {
            if (auto* bar = qobject_cast<QCPColorScale*>(element); bar && bar->axis())
                fitTitle(bar->axis(), bar->axis()->axisRect()->height(), false);
        }
    });
}

} // namespace peakscope
