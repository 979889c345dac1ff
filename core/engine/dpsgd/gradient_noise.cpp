// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/gradient_noise.h"

#include "core/engine/device/device_generator.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/model/work_pieces.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace peakscope {
void drawNoise(const std::vector<Parameter>& parameters, const NoiseOptions& options,
               const std::function<void(const Parameter&, std::int64_t first, const at::Tensor& noise)>& use)
{
    if (options.deviation <= 0 || parameters.empty())
        return;
    const c10::Device device = parameters.front().tensor.device();
    std::int64_t largest = 0;
    for (const Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad())
            largest = std::max(largest, parameter.tensor.numel());
    }
    const std::int64_t most = std::min(noisePiece(device.is_cuda()), largest);
    const at::NoGradGuard guard;
    at::Generator generator = deviceGenerator(device, options.seed);
    at::Tensor piece;
    for (const Parameter& parameter : parameters) {
        if (!parameter.tensor.requires_grad())
            continue;
        for (std::int64_t begin = 0; begin < parameter.tensor.numel(); begin += most) {
            const std::int64_t size = std::min(most, parameter.tensor.numel() - begin);
            if (!piece.defined()) {
                const bool wide = parameter.tensor.scalar_type() == at::kDouble;
                piece = at::empty({most}, at::TensorOptions(device).dtype(wide ? at::kDouble : at::kFloat));
            }
            use(parameter, begin, piece.narrow(0, 0, size).normal_(0, options.deviation, generator));
        }
    }
}

void addNoise(std::vector<Parameter>& parameters, const NoiseOptions& options)
{
    const at::NoGradGuard guard;
    for (Parameter& parameter : parameters) {
        at::Tensor& gradient = parameter.tensor.mutable_grad();
        if (!parameter.tensor.requires_grad() || gradient.defined())
            continue;
        gradient = at::zeros_like(parameter.tensor);
        tagStorage(gradient, Component::Gradients, parameter.module);
    }
    drawNoise(parameters, options, [](const Parameter& parameter, std::int64_t first, const at::Tensor& noise) {
        const at::Tensor flat = parameter.tensor.grad().view({-1});
        flat.narrow(0, first, noise.numel()).add_(noise);
    });
    for (Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad() && options.expectedBatch != 1)
            parameter.tensor.mutable_grad().div_(options.expectedBatch);
    }
}

} // namespace peakscope
