// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Panels (a), (b), ... of one figure in a grid: two beside one another where the page is wide enough, else one. Private
// to the figures.
#pragma once

#include "widgets/figures/figure.h"
#include "widgets/figures/figure_canvas.h"

#include <functional>
#include <vector>

namespace peakscope {

struct Panel {
    double height = 0;                       // that it needs, in points
    std::function<void(const QRectF&)> draw; // into a rectangle at least that high
};

// 2 where a panel of half the width can hold names, bars and values.
int panelColumns(const FigureCanvas& canvas, double width);
// The width of one panel.
double panelWidth(const FigureCanvas& canvas, double width, int columns);

double panelsHeight(const FigureCanvas& canvas, const std::vector<Panel>& panels, int columns);
// Row by row; height to spare goes to the rows in proportion, height that lacks is taken likewise.
void drawPanels(const FigureCanvas& canvas, const QRectF& rect, const std::vector<Panel>& panels, int columns);

// "(a) Components at the peak".
QString panelTitle(std::size_t index, const QString& title);

// Figures of one run: several runs stand under one another, each below its name. A page that cannot grow shows the
// first run and says so.
using BlockHeight = std::function<double(const RunResult& run, double width)>;
using DrawBlock = std::function<void(const QRectF& rect, const RunResult& run)>;
double blocksHeight(const FigureCanvas& canvas, const RunResults& results, double width, const BlockHeight& height);
void drawBlocks(FigureCanvas& canvas, const QRectF& body, const RunResults& results, const BlockHeight& height,
                const DrawBlock& draw);

} // namespace peakscope
