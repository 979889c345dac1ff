// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_edges.h"

#include "core/base/units.h"
#include "widgets/plot/plot_interaction.h"

#include <qcustomplot.h>

#include <QToolButton>

namespace peakscope {

namespace {

// Empty: nothing to speak of.
QString secondsText(double seconds, double all)
{
    return seconds > 1e-6 * all ? QString::fromStdString(formatSeconds(seconds)) : QString();
}

void setWords(QToolButton* button, const QString& words)
{
    if (button->text() != words) {
        button->setText(words);
        button->adjustSize();
    }
    button->setVisible(!words.isEmpty());
}

} // namespace

TimelineEdges::TimelineEdges(QCustomPlot* plot) : QObject(plot), m_plot(plot)
{
    m_before = makeButton("moreBefore");
    m_after = makeButton("moreAfter");
    connect(plot, &QCustomPlot::afterLayout, this, &TimelineEdges::place);
}

QToolButton* TimelineEdges::makeButton(const char* name)
{
    auto* button = new QToolButton(m_plot);
    button->setObjectName(QString::fromLatin1(name));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus); // Home does the same
    button->setCursor(Qt::ArrowCursor);
    button->hide();
    connect(button, &QToolButton::clicked, this, &TimelineEdges::clicked);
    return button;
}

void TimelineEdges::show(const PlotArea& bounds, const PlotArea& view, bool timed)
{
    const double all = bounds.x1 - bounds.x0;
    const QString before = secondsText(view.x0 - bounds.x0, all), after = secondsText(bounds.x1 - view.x1, all);
    setWords(m_before, before.isEmpty() ? QString() : timed ? tr("◂ %1 earlier").arg(before) : tr("◂ earlier"));
    setWords(m_after, after.isEmpty() ? QString() : timed ? tr("%1 later ▸").arg(after) : tr("later ▸"));
    for (QToolButton* button : {m_before, m_after})
        button->setToolTip(tr("Show all (Home)"));
    place();
}

void TimelineEdges::setColor(const QColor& color)
{
    QPalette palette; // the rest is as that of other buttons
    palette.setColor(QPalette::ButtonText, color);
    for (QToolButton* button : {m_before, m_after})
        button->setPalette(palette);
}

void TimelineEdges::place()
{
    const QRect rect = m_plot->xAxis->axisRect()->rect();
    const int top = m_plot->height() - m_before->height();
    m_before->move(rect.left(), top);
    m_after->move(rect.right() - m_after->width(), top);
}

} // namespace peakscope
