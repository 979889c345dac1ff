// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rotary position embedding: frequencies with the scalings of Hugging Face's library, tables shared by all layers, and
// the rotation as an autograd function that keeps nothing but the tables.
#pragma once

#include "core/model/model_config.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <vector>

namespace peakscope {

// cos and sin of position × frequency, [T, rotated width / 2] each, times the scaling's attention factor.
struct RopeTables {
    at::Tensor cos;
    at::Tensor sin;
};

// One frequency (radians a position) for each rotated pair. `sequence` matters for dynamic NTK scaling, which stretches
// the base once a sequence is longer than the trained positions, and for LongRoPE, which has other factors then.
std::vector<double> ropeFrequencies(const ModelConfig& config, std::int64_t sequence);

// What cos and sin are multiplied with: 1 but for YaRN and LongRoPE.
double ropeAttentionFactor(const RopeScaling& scaling);

// Computed in float64; stored in float64 for float64 models, in float32 for all others.
RopeTables ropeTables(const ModelConfig& config, std::int64_t sequence, const c10::TensorOptions& options);

// x [B, T, heads, D]: pairs (i, i + rotated/2) of each head's first `rotated` numbers are turned, the rest is copied.
// Differentiable any number of times.
at::Tensor rotate(const at::Tensor& x, const RopeTables& tables);

} // namespace peakscope
