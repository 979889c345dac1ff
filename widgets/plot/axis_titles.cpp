// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/axis_titles.h"

#include <qcustomplot.h>

#include <QRegularExpression>

#include <algorithm>
#include <memory>
#include <utility>

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

// `stump`: shown however little is left; else not if that is less than half. Whether it is another than before.
bool fitTitle(QCPAxis* axis, int height, bool stump)
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
    axis->setProperty(kShown, shown);
    if (shown == axis->label())
        return false;
    axis->setLabel(shown);
    return true;
}

} // namespace

void keepTitlesInside(QCustomPlot* plot)
{
    struct Laid {
        QSize plot, rect;
        int again = 0;
    };
    QObject::connect(plot, &QCustomPlot::afterLayout, plot, [plot, laid = std::make_shared<Laid>()] {
        bool other = false;
        for (QCPAxisRect* rect : plot->axisRects()) {
            for (QCPAxis* axis : rect->axes(QCPAxis::atLeft | QCPAxis::atRight))
                other = fitTitle(axis, rect->height(), true) || other;
        }
        for (QCPLayoutElement* element : plot->plotLayout()->elements(false)) {
            if (auto* bar = qobject_cast<QCPColorScale*>(element); bar && bar->axis())
                other = fitTitle(bar->axis(), bar->axis()->axisRect()->height(), false) || other;
        }
        // Margins are of the marks and titles that had room at the size before: at another size they come out right in
        // the layout after this one. Twice at most: two layouts can call for each other.
        if (const QSize size = plot->viewport().size(); std::exchange(laid->plot, size) != size)
            laid->again = 2;
        const QSize rect = plot->axisRectCount() > 0 ? plot->axisRect()->size() : QSize();
        if ((std::exchange(laid->rect, rect) != rect || other) && laid->again > 0) {
            --laid->again;
            plot->replot(QCustomPlot::rpQueuedReplot);
        }
    });
}

} // namespace peakscope
