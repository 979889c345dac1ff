// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A panel with the whole Hessian of a small model: signed colours on a logarithmic scale that is symmetric about zero,
// names and borders of the tensors. Private to the figures.
#pragma once

#include "widgets/curvature/matrix_layout.h"
#include "widgets/figures/page/figure_canvas.h"

namespace peakscope {

QString matrixPanelTitle();
double matrixPanelHeight(const FigureCanvas& canvas, const CurvatureMatrix& matrix, double width);
void drawMatrixPanel(FigureCanvas& canvas, const QRectF& rect, const CurvatureMatrix& matrix, const QString& mark);

} // namespace peakscope
