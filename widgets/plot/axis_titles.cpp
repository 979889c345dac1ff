// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/axis_titles.h"

#include <qcustomplot.h>

#include <QRegularExpression>

#include <algorithm>

namespace peakscope {

namespace {

constexpr const char* kWhole = "wholeTitle";
constexpr const char* kShown = "shownTitle";

// Without "(MiB)" or "(symlog, linear below 0.01)" at its end.
QString withoutRemark(QString title)
{
    static const QRegularExpression remark(QStringLiteral("\\s*[(（][^(（]*[)）]$"));
    return title.remove(remark);
}

// `stump`: shown however little is left; else not if that is less than half.
void fitTitle(QCPAxis* axis, int height, bool stump)
{
    // What was set since, by whoever owns the plot.
    if (axis->property(kShown).toString() != axis->label() || !axis->property(kWhole).isValid())
        axis->setProperty(kWhole, axis->label());
    const QFontMetrics metrics(axis->labelFont());
    QStringList lines;
    qsizetype left = 0; // letters of it
    QString title = axis->property(kWhole).toString();
    const auto fits = [&](const QString& line) { return metrics.horizontalAdvance(line) <= height; };
    // A whole quantity says more than half of its remark does.
    if (const QString brief = withoutRemark(title); !brief.isEmpty() && !std::ranges::all_of(title.split(u'\n'), fits))
        title = brief;
    for (const QString& line : title.split(u'\n')) {
        lines << metrics.elidedText(line, Qt::ElideRight, height);
        left += lines.back() == line ? line.size() : lines.back().size() - 1;
    }
    QString shown = lines.join(u'\n');
    if (!stump && 2 * left < title.size())
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
