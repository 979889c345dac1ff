// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The head's product for a clipped step. sample_functions.cpp has the other parameterised operators, too, which
// layers.cpp reaches through SampleSink: differentiable functions that tell the tape what it needs for per-sample norms
// (see sample_tape.h) and save for backward what LibTorch's own would. Once differentiable.
#pragma once

#include <ATen/core/Tensor.h>

namespace peakscope {

// x [B, T, in] times `weight` [out, in]; the head.
at::Tensor sampleProduct(const at::Tensor& x, const at::Tensor& weight);

} // namespace peakscope
