// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loss head: logits of the hidden states and their mean cross-entropy, with all logits in memory (naive) or a chunk
// of tokens at a time (chunked).
#pragma once

#include "core/text/ignored_label.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// How many of the labels count.
std::int64_t countedLabels(const at::Tensor& labels);

// hidden [N, E], weight [vocab, E], labels [N] int64 (kIgnoredLabel: not counted) -> the sum of the counted tokens'
// cross-entropies divided by `denominator`, or by their number where it is 0; a scalar in float32 at least.
// `cap`: of the logits, softly (soft_cap.h); 0: none. Where `logits` is given it receives the logits [N, vocab], which
// otherwise die here.
at::Tensor naiveLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                     std::int64_t denominator, double cap = 0, at::Tensor* logits = nullptr);

// The same value and gradients. Gradients of hidden and weight are computed in the forward pass (see the definition),
// so backward can run once only, and there is no second derivative; both throw c10::Error.
at::Tensor chunkedLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                       std::int64_t denominator, double cap = 0);

} // namespace peakscope
