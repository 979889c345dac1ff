// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/dynamic_code.h"

#include "core/optimizers/kept_numbers.h"

#include <ATen/ops/bucketize.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {
namespace {

// For each power of ten from 1e-6 to 1 twice as many numbers as for the one before, the middles of equal intervals.
at::Tensor numbersOfCodes(bool isSigned)
{
    constexpr int kDecades = 7;
    std::vector<float> numbers{0, 1};
    for (int decade = 0; decade < kDecades; ++decade) {
        const std::int64_t count = std::int64_t{1} << (isSigned ? decade : decade + 1);
        const at::Tensor bounds = at::linspace(0.1, 1, count + 1, at::TensorOptions(at::kFloat));
        const at::Tensor middles =
            (bounds.slice(0, 0, count) + bounds.slice(0, 1)) / 2 * std::pow(10.0, decade - kDecades + 1);
        for (std::int64_t i = 0; i < count; ++i) {
            numbers.push_back(middles[i].item<float>());
            if (isSigned)
                numbers.push_back(-numbers.back());
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return at::tensor(numbers, at::TensorOptions(at::kFloat));
}

} // namespace

DynamicCode::DynamicCode(bool isSigned, c10::Device device)
{
    const at::Tensor book = numbersOfCodes(isSigned);
    m_book = book.to(device);
    m_middles = ((book.slice(0, 0, 255) + book.slice(0, 1)) / 2).to(device);
}

at::Tensor DynamicCode::read(const at::Tensor& codes, const at::Tensor& scales) const
{
    at::Tensor numbers = at::index_select(m_book, 0, codes.to(at::kInt));
    numbers.view({-1, kStateBlock}).mul_(scales.unsqueeze(1));
    return numbers;
}

void DynamicCode::write(at::Tensor numbers, const at::Tensor& codes, const at::Tensor& scales) const
{
    const at::Tensor blocks = numbers.view({-1, kStateBlock});
    at::Tensor largest = scales;
    at::linalg_vector_norm_out(largest, blocks, std::numeric_limits<double>::infinity(), at::IntArrayRef{1});
    blocks.div_(scales.clamp_min(std::numeric_limits<float>::min()).unsqueeze(1)); // a block of zeros stays one
    codes.copy_(at::bucketize(numbers, m_middles, /*out_int32=*/true));
}

} // namespace peakscope
