// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Beside the title of the time axis: how much of a timeline lies before and after what is visible. A click asks for all
// of it. Private to the views of timelines; GUI thread.
#pragma once

#include <QObject>

class QColor;
class QCustomPlot;
class QToolButton;

namespace peakscope {

struct PlotArea;

class TimelineEdges : public QObject
{
    Q_OBJECT
public:
    explicit TimelineEdges(QCustomPlot* plot);

    // `timed`: the axis is in seconds, which are then said.
    void show(const PlotArea& bounds, const PlotArea& view, bool timed);
    void setColor(const QColor& color);

signals:
    void clicked();

private:
    QToolButton* makeButton(const char* name);
    void place(); // the plot's layout may have changed

    QCustomPlot* m_plot;
    QToolButton* m_before;
    QToolButton* m_after;
};

} // namespace peakscope
