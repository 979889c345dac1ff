// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loss head of a clipped step: every row's own mean cross-entropy, so that backward can weigh the rows.
#pragma once

#include "core/experiment/experiment.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// hidden [B, T, E], weight [vocab, E], labels [B, T] int64 (-100: not counted) -> [B], each row's mean over its counted
// tokens (0 for a row without any), in float32 at least. Needs a SampleTape where weight is trained.
// Chunked: gradients of hidden and the samples' norms are made in the forward pass, a block of logits at a time.
// `cap`: of the logits, softly (core/engine/model/soft_cap.h); 0: none. Where `logits` is given it receives the naive
// head's, which otherwise die here.
at::Tensor sampleLosses(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels, LossHead head,
                        double cap = 0, at::Tensor* logits = nullptr);

} // namespace peakscope
