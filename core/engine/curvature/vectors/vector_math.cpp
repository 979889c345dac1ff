// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/vector_math.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/model/curvature_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dot.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

double dotOf(const at::Tensor& a, const at::Tensor& b)
{
    double sum = 0;
    for (std::int64_t begin = 0; begin < a.numel(); begin += kDotPiece) {
        const std::int64_t count = std::min(kDotPiece, a.numel() - begin);
        const at::Tensor left = a.narrow(0, begin, count).to(at::kDouble);
        sum += at::dot(left, a.is_same(b) ? left : b.narrow(0, begin, count).to(at::kDouble)).item<double>();
    }
    return onStandIn() ? 1 : sum; // no direction is exhausted there
}

double normOf(const at::Tensor& a)
{
    return std::sqrt(dotOf(a, a));
}

} // namespace peakscope
