// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The optimisers there are. Any thread.
#pragma once

#include "core/optimizers/optimizer_description.h"

#include <string_view>

namespace peakscope {

// The first is what an experiment has that names none.
const std::vector<OptimizerDescription>& optimizers();
inline OptimizerKind defaultOptimizer()
{
    return &optimizers().front();
}
// The one that keeps the fewest states.
OptimizerKind leanestOptimizer();

// Adam's rule with both moments in 8 bits.
OptimizerKind eightBitAdam();

// Numbers read and written for each of the parameter's, temporaries aside: what a fused update would move. Of a matrix
// by the rule of matrices, where there is one.
int wordsMoved(const OptimizerDescription& optimizer, bool matrix);

} // namespace peakscope
