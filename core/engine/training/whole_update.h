// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of updates that take whole tensors, as torch.optim's Muon and Adafactor compute them. Used by
// Optimizer; core/planning/simulation/simulate_update.cpp counts what they make.
#pragma once

#include "core/optimizers/optimizer_description.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// `operation` is one of UpdateKind from Interpolate on, in place or not, as the operation has it.
at::Tensor computedWhole(const UpdateOperation& operation, double number, const at::Tensor& x, const at::Tensor& left);

} // namespace peakscope
