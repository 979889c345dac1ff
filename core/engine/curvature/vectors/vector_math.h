// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Inner products of long vectors, summed in float64 whatever the vectors hold.
#pragma once

#include <ATen/core/Tensor.h>

namespace peakscope {

// Of two one-dimensional tensors of one dtype.
double dotOf(const at::Tensor& a, const at::Tensor& b);
double normOf(const at::Tensor& a);

} // namespace peakscope
