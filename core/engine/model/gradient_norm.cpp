// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/gradient_norm.h"

#include "core/model/work_pieces.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

// A reduction over a tree of threads keeps its digits in float32, and waiting for each tensor would cost more than all
// of them: the device is waited for once.
double deviceNorm(const std::vector<Parameter>& parameters)
{
    std::vector<at::Tensor> norms;
    for (const Parameter& parameter : parameters) {
        const at::Tensor& gradient = parameter.tensor.grad();
        if (!gradient.defined())
            continue;
        const bool narrow = gradient.scalar_type() == at::kHalf || gradient.scalar_type() == at::kBFloat16;
        const at::ScalarType sums = narrow ? at::kFloat : gradient.scalar_type();
        norms.push_back(at::linalg_vector_norm(gradient, 2, c10::nullopt, /*keepdim=*/false, sums).to(at::kDouble));
    }
    return norms.empty() ? 0 : at::linalg_vector_norm(at::stack(norms), 2).item<double>();
}

} // namespace

double gradientNorm(const std::vector<Parameter>& parameters)
{
    if (!parameters.empty() && parameters.front().tensor.is_cuda())
        return deviceNorm(parameters);
    double sum = 0;
    for (const Parameter& parameter : parameters) {
        const at::Tensor& gradient = parameter.tensor.grad();
        if (!gradient.defined())
            continue;
        const at::Tensor flat = gradient.reshape({-1});
        for (std::int64_t begin = 0; begin < flat.numel(); begin += kWidenedPiece) {
            const auto piece = flat.narrow(0, begin, std::min(kWidenedPiece, flat.numel() - begin)).to(at::kDouble);
            const double norm = at::linalg_vector_norm(piece, 2).item<double>();
            sum += norm * norm;
        }
    }
    return std::sqrt(sum);
}

} // namespace peakscope
