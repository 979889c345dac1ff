// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A flat row of numbers that has memory only for a while, and tensors over it that stay valid in between: what a unit's
// parameters are while it is gathered, and vectors that are cut like them.
#pragma once

#include "core/results/component.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// [elements], without memory.
at::Tensor flatWithoutMemory(const at::TensorOptions& options, std::int64_t elements);

// `shape` numbers from `offset` on of what `flat` is a row of, whether it has memory or not; a plain view is checked
// against the memory there is.
at::Tensor tensorOver(const at::Tensor& flat, std::int64_t offset, at::IntArrayRef shape);

// Memory for `elements` numbers, not filled.
void giveMemory(const at::Tensor& flat, std::int64_t elements, Component component);
void takeMemory(const at::Tensor& flat);

} // namespace peakscope
