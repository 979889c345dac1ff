// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as 8-bit codes of a dynamic tree, with a scale for each block of 256 (Dettmers et al., "8-bit Optimizers via
// Block-wise Quantization", 2022, section 2.3; the code book is bitsandbytes', to the bit).
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace peakscope {

class DynamicCode
{
public:
    // `isSigned`: half of the codes are below 0. All tensors are on `device`.
    DynamicCode(bool isSigned, c10::Device device);

    // The 256 numbers that codes stand for, ascending, float32 in [-1, 1] or [0, 1].
    const at::Tensor& book() const { return m_book; }
    std::vector<at::Tensor> stored() const { return {m_book, m_middles}; }

    // codes [n · 256] uint8 and scales [n] float32 -> numbers [n · 256] float32.
    at::Tensor read(const at::Tensor& codes, const at::Tensor& scales) const;
    // Each block's scale is its largest magnitude, each code the nearest of the book. Overwrites `numbers`.
    void write(at::Tensor numbers, const at::Tensor& codes, const at::Tensor& scales) const;

private:
    at::Tensor m_book;
    at::Tensor m_middles; // between one code's number and the next one's, [255]
};

} // namespace peakscope
