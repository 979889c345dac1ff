// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parameterised operators of a model, as differentiable functions that tell the tape of a clipped step what it
// needs for per-sample norms (see sample_tape.h) and save for backward what LibTorch's own would. The first extent of
// every activation is the sample. SampleTape hands them to layers.cpp; once differentiable.
#pragma once

#include "core/engine/model/layers.h"

namespace peakscope {

// x [B, T, in] -> [B, T, out], with the adapter where the layer has one.
at::Tensor sampleLinear(const Linear& linear, const at::Tensor& x);

// x [B, T, in] times `weight` [out, in]; the head.
at::Tensor sampleProduct(const at::Tensor& x, const at::Tensor& weight);

at::Tensor sampleLayerNorm(const LayerNorm& norm, const at::Tensor& x);

// tokens [B, T] -> [B, T, width].
at::Tensor sampleEmbedding(const at::Tensor& table, const at::Tensor& tokens);

// x [B, T, width] + table[offset … offset + T).
at::Tensor samplePositions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset);

} // namespace peakscope
