// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// RMSprop (Tieleman and Hinton 2012) as torch::optim has it: neither centred nor with momentum.
#include "core/optimizers/optimizer_description.h"

namespace peakscope {

OptimizerDescription rmsprop()
{
    using namespace update;
    constexpr double alpha = 0.99, eps = 1e-8;
    constexpr Operand square = state(0), average = temporary(0);
    return {"rmsprop",
            "RMSprop",
            {{"alpha", alpha}, {"eps", eps}},
            {"square_avg"},
            {
                multiplyBy(square, alpha),
                addProduct(square, kGradient, kGradient, 1 - alpha),
                make(average, squareRoot(square)),
                addNumber(average, eps),
                addQuotient(kParameter, kGradient, average, [](const UpdateTime& t) { return -t.lr; }),
            }};
}

} // namespace peakscope
