// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The type that sums over a tensor's elements are taken in.
#pragma once

#include <ATen/core/Tensor.h>

namespace peakscope {

// float64 for float64, float32 for everything narrower.
inline at::ScalarType wideOf(const at::Tensor& x)
{
    return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

} // namespace peakscope
