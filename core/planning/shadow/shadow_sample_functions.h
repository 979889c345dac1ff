// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of a clipped step, which tell the context's tape what it needs for per-sample norms: written beside
// core/engine/dpsgd/sample_functions.cpp and sample_head.cpp. Called by the plain operators where a tape is there.
#pragma once

#include "core/planning/shadow/shadow_operators.h"

namespace peakscope {

ShadowTensor sampledLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x);
ShadowTensor sampledLayerNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& x);
ShadowTensor sampledEmbedding(ShadowContext& context, ShadowParameter& table, std::int64_t width,
                              const ShadowTensor& tokens);
ShadowTensor sampledAddPositions(ShadowContext& context, ShadowParameter& table, std::int64_t rows, std::int64_t width,
                                 const ShadowTensor& x);
// The product with a weight [out, in] alone, as the naive head makes it.
ShadowTensor sampledProduct(ShadowContext& context, ShadowParameter& weight, std::int64_t in, std::int64_t out,
                            const ShadowTensor& x);

// hidden [N, E] -> every row's own loss.
ShadowTensor shadowSampleLosses(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight,
                                std::int64_t width, std::int64_t vocab, const ShadowTensor& labels);

} // namespace peakscope
