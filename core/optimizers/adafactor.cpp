// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Adafactor (Shazeer and Stern 2018) as torch.optim has it: of a matrix's squares the means of rows and of columns are
// kept, of a vector's all.
#include "core/optimizers/optimizer_description.h"

#include <cmath>

namespace peakscope {

OptimizerDescription adafactor()
{
    using namespace update;
    constexpr double decay = -0.8;
    constexpr Operand rowMeans = state(0), columnMeans = state(1), variance = state(0);
    constexpr Operand squares = temporary(0), squaresOfColumns = temporary(1), scaled = temporary(2);
    const UpdateNumber newest = [](const UpdateTime& t) { return std::pow(t.step, decay); };
    const UpdateNumber rate = [](const UpdateTime& t) {
        return -std::min(t.lr, 1 / std::sqrt(static_cast<double>(t.step)));
    };
    OptimizerDescription description{"adafactor",
                                     "Adafactor",
                                     {{"beta2_decay", decay}, {"eps2", 1e-3}, {"d", 1}, {"weight_decay", 0}},
                                     {"variance"},
                                     {
                                         make(squares, multiply(kGradient, kGradient)),
                                         interpolate(variance, squares, newest),
                                         make(scaled, multiplyBy(variance, 1)), // a copy
                                         inverseRoot(scaled),
                                         multiply(scaled, kGradient),
                                         addInProportion(kParameter, scaled, rate),
                                     },
                                     false};
    description.matrices = {false,
                            {StateShape::Rows, StateShape::Columns},
                            {
                                make(squares, rowSquares(kGradient)),
                                interpolate(rowMeans, squares, newest),
                                make(squaresOfColumns, columnSquares(kGradient)),
                                interpolate(columnMeans, squaresOfColumns, newest),
                                make(scaled, outer(rowMeans, columnMeans)),
                                divideByMean(scaled, rowMeans),
                                inverseRoot(scaled),
                                multiply(scaled, kGradient),
                                addInProportion(kParameter, scaled, rate),
                            }};
    return description;
}

} // namespace peakscope
