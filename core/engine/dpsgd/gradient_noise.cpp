// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/gradient_noise.h"

#include "core/engine/storage_blocks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace peakscope {

void addNoise(std::vector<Parameter>& parameters, const NoiseOptions& options)
{
    constexpr std::int64_t kMostPiece = std::int64_t{1} << 18; // elements
    std::int64_t largest = 0;
    for (const Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad())
            largest = std::max(largest, parameter.tensor.numel());
    }
    const std::int64_t most = std::min(kMostPiece, largest);
    const at::NoGradGuard guard;
    at::Generator generator = at::detail::createCPUGenerator(options.seed);
    at::Tensor piece;
    for (Parameter& parameter : parameters) {
        if (!parameter.tensor.requires_grad())
            continue;
        at::Tensor& gradient = parameter.tensor.mutable_grad();
        if (!gradient.defined()) {
            gradient = at::zeros_like(parameter.tensor);
            tagStorage(gradient, Component::Gradients, parameter.module);
        }
        const at::Tensor flat = gradient.view({-1});
        for (std::int64_t begin = 0; options.deviation > 0 && begin < flat.numel(); begin += most) {
            const std::int64_t size = std::min(most, flat.numel() - begin);
            if (!piece.defined()) {
                const bool wide = gradient.scalar_type() == at::kDouble;
                piece = at::empty({most}, at::TensorOptions(wide ? at::kDouble : at::kFloat));
            }
            const at::Tensor noise = piece.narrow(0, 0, size).normal_(0, options.deviation, generator);
            flat.narrow(0, begin, size).add_(noise.to(flat.device()));
        }
        if (options.expectedBatch != 1)
            gradient.div_(options.expectedBatch);
    }
}

} // namespace peakscope
