// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Lion (Chen et al. 2023, "Symbolic discovery of optimization algorithms", algorithm 2), without weight decay.
#include "core/optimizers/optimizer_description.h"

namespace peakscope {

OptimizerDescription lion()
{
    using namespace update;
    constexpr double beta1 = 0.9, beta2 = 0.99;
    constexpr Operand mean = state(0), direction = temporary(0);
    return {"lion",
            "Lion",
            {{"beta1", beta1}, {"beta2", beta2}},
            {"exp_avg"},
            {
                make(direction, multiplyBy(mean, beta1)),
                addScaled(direction, kGradient, 1 - beta1),
                sign(direction),
                addScaled(kParameter, direction, [](const UpdateTime& t) { return -t.lr; }),
                multiplyBy(mean, beta2),
                addScaled(mean, kGradient, 1 - beta2),
            },
            false};
}

} // namespace peakscope
