// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stochastic gradient descent without momentum.
#include "core/optimizers/optimizer_description.h"

namespace peakscope {

OptimizerDescription sgd()
{
    using namespace update;
    return {"sgd", "SGD", {}, {}, {addScaled(kParameter, kGradient, [](const UpdateTime& t) { return -t.lr; })}};
}

} // namespace peakscope
