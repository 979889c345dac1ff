// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Scaled dot-product attention in three forms that agree: LibTorch's fused kernels, an own autograd function over
// chunks of queries that never holds a T×T matrix, and plain operators (the only one with a second derivative).
#pragma once

#include "core/experiment/experiment.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

struct AttentionOptions {
    AttentionKind kind = AttentionKind::Auto; // Auto: fused where a kernel without a T×T matrix exists, else chunked
    bool causal = true;
    std::int64_t window = 0; // with causal: of each query the last so many keys; 0: all
    double scale = 0;        // of the scores; 0: 1/sqrt(D)
    double cap = 0;          // of the scores, softly (core/engine/model/soft_cap.h); 0: none
    at::Tensor mask;         // [T, T] bool, true where a query does not look; for Math with causal, see causalMask
    at::Tensor sinks;        // [heads], a score of each head that no value belongs to; undefined: none
    at::Tensor padding;      // without causal: [B, T] bool, keys at which nothing looks, see paddingOf; undefined: none
};

// q [B, T, heads, D], k and v [B, T, kvHeads, D] (kvHeads divides heads; query head h uses key head h /
// (heads/kvHeads))
// -> [B, T, heads · D]. Throws c10::Error where Fused is asked for and LibTorch has no such kernel for the tensors.
at::Tensor attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options);

// The kind that is used for queries like q [B, T, heads, D]; never Auto. `altered`: by a window, padding, sinks or a
// cap, which no fused kernel knows.
AttentionKind resolveAttention(AttentionKind kind, const at::Tensor& q, bool causal, bool altered = false);

// Where rows have ended: positions without a label [B, T] bool, but for the first, which every row has.
at::Tensor paddingOf(const at::Tensor& labels);

// The mask of the plain form, shared by all layers of a forward pass that look back `window` keys (0: all).
at::Tensor causalMask(std::int64_t sequence, c10::Device device, std::int64_t window = 0);

} // namespace peakscope
