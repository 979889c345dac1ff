// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/whole_update.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {
namespace {

// Newton-Schulz steps of degree five on the singular values: Jordan et al. 2024, with their coefficients.
at::Tensor orthogonalised(const at::Tensor& matrix, double eps)
{
    constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
    const bool tall = matrix.size(0) > matrix.size(1);
    at::Tensor x = matrix.to(at::kBFloat16, false, true);
    if (tall)
        x = x.t();
    x.div_(x.norm().clamp(eps));
    for (int i = 0; i < kNewtonSchulzSteps; ++i) {
        const at::Tensor gram = x.matmul(x.t());
        const at::Tensor polynomial = at::addmm(gram, gram, gram, b, c);
        x = at::addmm(x, polynomial, x, a);
    }
    return tall ? x.t() : x;
}

// Along one dimension, which stays with one element.
at::Tensor meanSquares(const at::Tensor& x, std::int64_t dimension)
{
    return at::linalg_vector_norm(x, 2, dimension, true).square_().div_(x.size(dimension));
}

double epsilonOf(at::ScalarType type)
{
    switch (type) {
    case at::kDouble:
        return std::numeric_limits<double>::epsilon();
    case at::kBFloat16:
        return std::ldexp(1.0, -7);
    case at::kHalf:
        return std::ldexp(1.0, -10);
    default:
        return std::numeric_limits<float>::epsilon();
    }
}

double rootMeanSquare(const at::Tensor& x)
{
    return x.norm(2).item<double>() / std::sqrt(static_cast<double>(x.numel()));
}

} // namespace

at::Tensor computedWhole(const UpdateOperation& operation, double number, const at::Tensor& x, const at::Tensor& left)
{
    constexpr double kLeastSize = 1e-3; // of a parameter, so that one of zeros moves
    const bool inPlace = operation.inPlace();
    switch (operation.kind) {
    case UpdateKind::Interpolate:
        return inPlace ? x.lerp_(left, number) : x.lerp(left, number);
    case UpdateKind::Multiply:
        return inPlace ? x.mul_(left) : x.mul(left);
    case UpdateKind::Orthogonalise:
        return orthogonalised(x, number);
    case UpdateKind::RowSquares:
        return meanSquares(x, -1);
    case UpdateKind::ColumnSquares:
        return meanSquares(x, -2);
    case UpdateKind::Outer:
        return x.matmul(left);
    case UpdateKind::DivideByMean:
        return x.div_(left.mean(-2, true).clamp_min_(epsilonOf(x.scalar_type())));
    case UpdateKind::InverseRoot: {
        const double eps = epsilonOf(x.scalar_type());
        return x.clamp_min_(eps * eps).rsqrt_();
    }
    case UpdateKind::AddInProportion: {
        const double size = std::max(kLeastSize, rootMeanSquare(x));
        return x.add_(left, number * size / std::max(1.0, rootMeanSquare(left)));
    }
    default:
        break;
    }
    TORCH_CHECK(false, "not an operation of whole tensors");
}

} // namespace peakscope
