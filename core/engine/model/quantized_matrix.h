// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A frozen linear layer's weight in 4 or 8 bits (core/model/quantization.h). It is turned into numbers for each product,
// forward and backward, and these go afterwards.
#pragma once

#include "core/model/quantization.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace peakscope {

class QuantizedMatrix
{
public:
    // `weight` [rows, columns] of any floating type is read, not kept.
    QuantizedMatrix(const at::Tensor& weight, Quantization kind);

    // [rows, columns] in `type`.
    at::Tensor numbers(at::ScalarType type) const;

    // Two 4-bit codes a byte, the first in the upper half, or one of 8 bits; uint8.
    const at::Tensor& codes() const { return m_codes; }
    // Of blocks or rows, float32; nested: of blocks of scales.
    const at::Tensor& scales() const { return m_scales; }
    // All that is stored, codes first.
    std::vector<at::Tensor> stored() const;
    at::ScalarType type() const { return m_type; } // the weight's
    std::int64_t rows() const { return m_rows; }
    std::int64_t columns() const { return m_columns; }

private:
    void quantizeBlocks(const at::Tensor& weight);
    void nestScales();
    void quantizeRows(const at::Tensor& weight);
    at::Tensor blockScales(std::int64_t first, std::int64_t count) const;

    Quantization m_kind;
    at::ScalarType m_type;
    std::int64_t m_rows, m_columns;
    at::Tensor m_codes, m_scales;
    at::Tensor m_scaleCodes, m_scaleMean; // nested
};

// y = x Wᵀ + b for x [rows, in] (or x W + b, `transposed`), of x's type. Keeps nothing of the weight for backward.
at::Tensor quantizedProduct(const std::shared_ptr<const QuantizedMatrix>& weight, const at::Tensor& bias,
                            bool transposed, const at::Tensor& x);

} // namespace peakscope
