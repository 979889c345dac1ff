// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/optimizers/optimizers.h"

namespace peakscope {

// The same update with a temporary written over once nothing else reads it, as torch.optim's foreach forms have it: of
// all parameters at once a second one is much. The row's own order of operations, so the same bits; but for Adagrad,
// whose foreach form rounds once more.
const OptimizerDescription& formOfAll(OptimizerKind optimizer);

} // namespace peakscope
