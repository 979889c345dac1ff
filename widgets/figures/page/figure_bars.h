// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A panel of horizontal bars, a row a name, each bar stacked from parts with its value written at its end. Shared by
// the figures that show amounts; private to them.
#pragma once

#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_canvas.h"

#include <QStringList>

#include <functional>
#include <vector>

namespace peakscope {

struct BarPart {
    double value = 0; // bytes or seconds; negative parts stack to the left of zero
    Fill fill;
};

struct FigureBar {
    std::vector<BarPart> parts;
    QString label;          // written at the bar's end
    bool predicted = false; // drawn hollow, with a dashed outline
};

struct FigureBarRow {
    QString name;
    QStringList badges;
    std::vector<FigureBar> bars; // under one another
};

struct BarPanel {
    QString title;
    QString compactTitle; // where given: instead of the title when the bars are too thin to be labelled
    QString axisTitle;    // with its unit
    AxisUnit unit;
    std::vector<FigureBarRow> rows;
    std::function<Ticks(double low, double high, int count)> ticks; // of an axis that is not linear in its unit
    double least = 0;        // that the axis reaches at least: of panels on one scale
    bool namesAbove = false; // long names: a line of their own above their bars
};

// The height at which bars are as thick as their labels are high.
double barPanelHeight(const FigureCanvas& canvas, const BarPanel& panel);
// Fills the rectangle: where it is higher than needed, bars and gaps grow.
void drawBarPanel(FigureCanvas& canvas, const QRectF& rect, const BarPanel& panel);

} // namespace peakscope
