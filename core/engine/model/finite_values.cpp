// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/finite_values.h"

#include "core/model/curvature_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

std::int64_t firstNonFinite(const at::Tensor& vector)
{
    const at::Tensor flat = vector.reshape({-1});
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kDotPiece) {
        const at::Tensor part = flat.narrow(0, begin, std::min(kDotPiece, flat.numel() - begin));
        const at::Tensor finite = at::isfinite(part);
        if (!finite.all().item<bool>())
            return begin + finite.logical_not().to(at::kByte).argmax().item<std::int64_t>();
    }
    return -1;
}

std::string nonFiniteLoss(double loss)
{
    return std::isnan(loss) ? "the loss is not a number" : "the loss is infinite";
}

std::string nonFiniteWeight(const std::vector<Parameter>& parameters)
{
    for (const Parameter& parameter : parameters) {
        const at::Tensor& tensor = parameter.tensor;
        const bool here =
            tensor.defined() && tensor.is_floating_point() && tensor.numel() > 0 && tensor.storage().nbytes() > 0;
        if (here && firstNonFinite(tensor.detach()) >= 0)
            return parameter.spec.name;
    }
    return {};
}

std::string causeBeforeUpdates(const std::vector<Parameter>& parameters)
{
    const std::string weight = nonFiniteWeight(parameters);
    return ", before any update: " +
           (weight.empty() ? "a wider dtype may help" : "the weight " + weight + " holds values that are not finite");
}

} // namespace peakscope
