// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Adagrad (Duchi et al. 2011) as torch::optim has it: sums of squares from zero on, a rate that does not decay.
#include "core/optimizers/optimizer_description.h"

namespace peakscope {

OptimizerDescription adagrad()
{
    using namespace update;
    constexpr double eps = 1e-10;
    constexpr Operand sum = state(0), root = temporary(0);
    return {"adagrad",
            "Adagrad",
            {{"lr_decay", 0}, {"initial_accumulator_value", 0}, {"eps", eps}},
            {"sum"},
            {
                addProduct(sum, kGradient, kGradient, 1),
                make(root, squareRoot(sum)),
                addNumber(root, eps),
                addQuotient(kParameter, kGradient, root, [](const UpdateTime& t) { return -t.lr; }),
            }};
}

// torch.optim's foreach form scales the gradients of all parameters apart.
OptimizerDescription adagradOfAll()
{
    using namespace update;
    constexpr Operand root = temporary(0), scaled = temporary(1);
    OptimizerDescription description = adagrad();
    description.update.back() = make(scaled, multiplyBy(kGradient, [](const UpdateTime& t) { return -t.lr; }));
    description.update.push_back(addQuotient(kParameter, scaled, root, 1));
    return description;
}

} // namespace peakscope
