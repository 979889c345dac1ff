// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Squared norms of per-sample gradients from the two factors that make them, without the gradients themselves. Used by
// SampleTape only; on the tensors' device, without a graph.
#pragma once

#include "core/planning/inputs/clipping_rules.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// While it lives, float32 products on CUDA devices are made of factors rounded to TF32 and summed in float32; nothing
// where `wanted` is false. Of the whole process, like LibTorch's own switch.
class NormPrecisionScope
{
public:
    explicit NormPrecisionScope(bool wanted);
    ~NormPrecisionScope();
    NormPrecisionScope(const NormPrecisionScope&) = delete;
    NormPrecisionScope& operator=(const NormPrecisionScope&) = delete;

private:
    bool m_wanted;
    bool m_before = false;
};

// The sum of x's squares, a float64 scalar on x's device, pieces of it summed in float64.
at::Tensor squaredNorm(const at::Tensor& x);

// <a, b> of two equal shapes, likewise.
at::Tensor innerProduct(const at::Tensor& a, const at::Tensor& b);

// ||left^T right||_F^2 of left [T, m] and right [T, n], one tile of the product at a time (normTileSide).
at::Tensor tiledNorm(const at::Tensor& left, const at::Tensor& right);

// ||left_b^T right_b||_F^2 for every b of left [B, T, m] and right [B, T, n] through the two Gram matrices of
// Goodfellow 2015 (eq. 5) and Li et al. 2022: 2 B T^2 numbers, gone at the end. float64 [B].
at::Tensor gramNorms(const at::Tensor& left, const at::Tensor& right);

// Which rows of a table one sample reads, each once.
struct TableRows {
    at::Tensor ids;     // [U] int64
    at::Tensor inverse; // [T] int64: ids[inverse] is the sample's sequence
};
TableRows tableRows(const at::Tensor& sequence);

// g [T, width] summed over equal ids: [U, width], float32 at least.
at::Tensor sumByRow(const TableRows& rows, const at::Tensor& g);

// (left^T right)[ids] of left [T, vocabulary] and right [T, width]: [U, width], with no more than 16 MiB beside it.
at::Tensor productRows(const at::Tensor& left, const at::Tensor& right, const at::Tensor& ids);

} // namespace peakscope
