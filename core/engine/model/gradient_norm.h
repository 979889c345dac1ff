// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The norm of a model's gradient, as steps report it and microbatches are clipped by it.
#pragma once

#include "core/engine/model/model.h"

#include <vector>

namespace peakscope {

// Euclidean norm over all gradients, summed in float64 without a second copy of any of them.
double gradientNorm(const std::vector<Parameter>& parameters);

} // namespace peakscope
