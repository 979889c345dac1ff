// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Inner products of long vectors, summed in float64 whatever the vectors hold, and what the curvature code says of
// non-finite numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace peakscope {

// Of two one-dimensional tensors of one dtype.
double dotOf(const at::Tensor& a, const at::Tensor& b);
double normOf(const at::Tensor& a);

// The position of the first number that is NaN or infinite, -1 where all are finite.
std::int64_t firstNonFinite(const at::Tensor& vector);

} // namespace peakscope
