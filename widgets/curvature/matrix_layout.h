// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a curvature matrix is drawn: the scale of its colours, the borders of its tensors and the names beside its axes.
// Pure functions.
#pragma once

#include "core/results/curvature_matrix.h"

#include <QString>

#include <functional>
#include <vector>

namespace peakscope {

// Where a value lies between -1 and 1, symmetric about zero: in proportion, or by its logarithm above `low`.
struct MatrixScale {
    bool logarithmic = true;
    double low = 0, most = 0;

    double shareOf(double value) const;
};
MatrixScale matrixScale(const CurvatureMatrix& matrix, bool logarithmic);

// A line where a tensor begins.
struct MatrixBorder {
    std::int64_t row = 0;
    bool layer = false; // another layer's, or one of a layer beside one of none
};
// Those that stand at least `closest` rows apart; between layers first, and those at half of that.
std::vector<MatrixBorder> matrixBorders(const CurvatureMatrix& matrix, double closest);

// A name beside the axis of a matrix, over the rows that it stands for.
struct MatrixLabel {
    double begin = 0, end = 0; // visible part
    QString text;

    double middle() const { return (begin + end) / 2; }
};
// Names of the tensors between two rows where they fit, of whole layers where theirs do not. `room`: rows that a text
// takes along the axis.
std::vector<MatrixLabel> matrixLabels(const CurvatureMatrix& matrix, double low, double high,
                                      const std::function<double(const QString&)>& room);

} // namespace peakscope
