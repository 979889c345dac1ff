// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/gradient_norm.h"

#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

double gradientNorm(const std::vector<Parameter>& parameters)
{
    constexpr std::int64_t kPiece = 1 << 18; // elements: the float64 copy of one piece is 2 MiB
    double sum = 0;
    for (const Parameter& parameter : parameters) {
        const at::Tensor& gradient = parameter.tensor.grad();
        if (!gradient.defined())
            continue;
        const at::Tensor flat = gradient.reshape({-1});
        for (std::int64_t begin = 0; begin < flat.numel(); begin += kPiece) {
            const auto piece = flat.narrow(0, begin, std::min(kPiece, flat.numel() - begin)).to(at::kDouble);
            const double norm = at::linalg_vector_norm(piece, 2).item<double>();
            sum += norm * norm;
        }
    }
    return std::sqrt(sum);
}

} // namespace peakscope
