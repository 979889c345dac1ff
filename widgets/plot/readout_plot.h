// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What painted plots with a read-out share: it stands under the plot and follows the pointer (or
// Ctrl+arrows), beside a legend. Private to the widgets; GUI thread.
#pragma once

#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_view.h"

#include <QPointF>

#include <optional>
#include <vector>

class QLabel;

namespace peakscope {

class LegendStrip;

class ReadoutPlot : public PlotView
{
    Q_OBJECT
public:
    // What the read-out says now.
    QString readout() const;
    // Where the cursor is, in plot coordinates; nothing while the pointer is elsewhere.
    std::optional<QPointF> cursor() const { return m_cursor; }
    void setCursorAt(std::optional<QPointF> place);

protected:
    ReadoutPlot(LanguageText title, QWidget* parent);

    LegendStrip* legend() const { return m_legend; }
    // Draws the data with the theme's colours; the cursor is the subclass's as well.
    virtual void paintPlot(QPainter& painter, const PlotGeometry& geometry) const = 0;
    // One or two lines; for no place: what there is to see.
    virtual QString readoutAt(const std::optional<QPointF>& place) const = 0;
    // Where the cursor stands for a place of the pointer; nothing where there is nothing to read.
    virtual std::optional<QPointF> snapped(QPointF place) const { return place; }
    // One step of Ctrl+arrow, -1, 0 or 1 each way.
    virtual QPointF stepFrom(const QPointF& place, int dx, int dy) const;
    // Call after data or theme changed.
    void refresh();
    // Bounds as `area`; another area than before shows all of it anew.
    void setArea(const PlotArea& area);
    void drawCursorLine(QPainter& painter, const PlotGeometry& geometry) const;

    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    virtual void updateLegend() {}

private:
    void showReadout();

    std::optional<QPointF> m_cursor;
    QLabel* m_readout = nullptr;
    LegendStrip* m_legend = nullptr;
};

} // namespace peakscope
