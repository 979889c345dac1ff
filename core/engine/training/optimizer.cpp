// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/optimizer.h"

#include "core/engine/ledger/storage_blocks.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

namespace peakscope {
namespace {

at::Tensor computed(const UpdateOperation& operation, double number, const at::Tensor& x, const at::Tensor& left,
                    const at::Tensor& right)
{
    const bool inPlace = operation.inPlace();
    switch (operation.kind) {
    case UpdateKind::MultiplyBy:
        return inPlace ? x.mul_(number) : x.mul(number);
    case UpdateKind::DivideBy:
        return inPlace ? x.div_(number) : x.div(number);
    case UpdateKind::AddNumber:
        return inPlace ? x.add_(number) : x.add(number);
    case UpdateKind::AddScaled:
        return inPlace ? x.add_(left, number) : x.add(left, number);
    case UpdateKind::AddProduct:
        return inPlace ? x.addcmul_(left, right, number) : x.addcmul(left, right, number);
    case UpdateKind::AddQuotient:
        return inPlace ? x.addcdiv_(left, right, number) : x.addcdiv(left, right, number);
    case UpdateKind::SquareRoot:
        return inPlace ? x.sqrt_() : x.sqrt();
    case UpdateKind::Sign:
        break;
    }
    return inPlace ? x.sign_() : x.sign();
}

} // namespace

Optimizer::Optimizer(const TrainingOptions& options, const std::vector<Parameter>& parameters)
    : m_description(options.optimizer), m_lr(options.lr)
{
    for (const Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad())
            m_parameters.push_back({parameter.tensor, parameter.module, {}, 0});
    }
}

void Optimizer::step()
{
    const at::NoGradGuard noGradient;
    for (Optimised& parameter : m_parameters) {
        if (parameter.tensor.grad().defined())
            update(parameter);
    }
}

void Optimizer::update(Optimised& parameter)
{
    while (parameter.states.size() < m_description->states.size()) {
        parameter.states.push_back(at::zeros_like(parameter.tensor));
        tagStorage(parameter.states.back(), Component::OptimizerStates, parameter.module);
    }
    const UpdateTime time{m_lr, ++parameter.steps};
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    runUpdate(
        *m_description, parameter.tensor, gradient, parameter.states,
        [&time](const UpdateOperation& operation, const at::Tensor& x, const at::Tensor& left,
                const at::Tensor& right) { return computed(operation, operation.number.at(time), x, left, right); });
}

} // namespace peakscope
