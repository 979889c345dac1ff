// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/optimizer.h"

#include "core/engine/ledger/storage_blocks.h"
#include "core/optimizers/form_of_all.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <map>

namespace peakscope {
at::Tensor computedUpdate(const UpdateOperation& operation, double number, const at::Tensor& x, const at::Tensor& left,
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

namespace {

// Of all parameters, in kernels that take many tensors at once.
std::vector<at::Tensor> computed(const UpdateOperation& operation, double number, const std::vector<at::Tensor>& x,
                                 const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right)
{
    if (!operation.inPlace()) {
        switch (operation.kind) {
        case UpdateKind::MultiplyBy:
            return at::_foreach_mul(x, number);
        case UpdateKind::DivideBy:
            return at::_foreach_div(x, number);
        case UpdateKind::AddNumber:
            return at::_foreach_add(x, number);
        case UpdateKind::AddScaled:
            return at::_foreach_add(x, left, number);
        case UpdateKind::AddProduct:
            return at::_foreach_addcmul(x, left, right, number);
        case UpdateKind::AddQuotient:
            return at::_foreach_addcdiv(x, left, right, number);
        case UpdateKind::SquareRoot:
            return at::_foreach_sqrt(x);
        case UpdateKind::Sign:
            break;
        }
        std::vector<at::Tensor> made;
        for (const at::Tensor& one : x)
            made.push_back(one.sign());
        return made;
    }
    switch (operation.kind) {
    case UpdateKind::MultiplyBy:
        at::_foreach_mul_(x, number);
        break;
    case UpdateKind::DivideBy:
        at::_foreach_div_(x, number);
        break;
    case UpdateKind::AddNumber:
        at::_foreach_add_(x, number);
        break;
    case UpdateKind::AddScaled:
        at::_foreach_add_(x, left, number);
        break;
    case UpdateKind::AddProduct:
        at::_foreach_addcmul_(x, left, right, number);
        break;
    case UpdateKind::AddQuotient:
        at::_foreach_addcdiv_(x, left, right, number);
        break;
    case UpdateKind::SquareRoot:
        at::_foreach_sqrt_(x);
        break;
    case UpdateKind::Sign:
        for (const at::Tensor& one : x)
            one.sign_();
        break;
    }
    return {};
}

class AfterGradient : public torch::autograd::PostAccumulateGradHook
{
public:
    explicit AfterGradient(std::function<void(const at::Tensor&)> action) : m_action(std::move(action)) {}
    void operator()(const torch::autograd::Variable& tensor) override
    {
        const at::NoGradGuard noGradient;
        m_action(tensor);
    }

private:
    std::function<void(const at::Tensor&)> m_action;
};

} // namespace

Optimizer::Optimizer(const TrainingOptions& options, const std::vector<Parameter>& parameters, std::uint64_t seed)
    : m_description(options.optimizer), m_lr(options.lr),
      m_together(updatesTogether(options, !parameters.empty() && parameters.front().tensor.is_cuda()))
{
    for (const Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad())
            m_parameters.push_back({parameter, {}, {}, 0});
    }
    if (!m_parameters.empty() && updatesWide(*options.optimizer, updatePrecision(options)))
        m_wide = std::make_unique<WideUpdate>(options, parameters.front().tensor.device(), seed);
}

void Optimizer::step()
{
    const at::NoGradGuard noGradient;
    if (m_together) {
        updateTogether();
        return;
    }
    for (Optimised& parameter : m_parameters) {
        if (parameter.parameter.tensor.grad().defined())
            stepOne(parameter);
    }
}

void Optimizer::stepOne(Optimised& parameter)
{
    ++parameter.steps;
    if (m_wide) {
        m_wide->step(parameter.parameter, parameter.kept, parameter.steps);
        return;
    }
    makeStates(parameter);
    update(parameter);
}

void Optimizer::stepInBackward()
{
    for (Optimised& parameter : m_parameters) {
        torch::autograd::impl::set_post_acc_grad_hooks(
            parameter.parameter.tensor, std::make_unique<AfterGradient>([this, &parameter](const at::Tensor& tensor) {
                tagStorage(tensor.grad(), Component::Gradients, parameter.parameter.module);
                stepOne(parameter);
                tensor.mutable_grad().reset();
            }));
    }
}

void Optimizer::makeStates(Optimised& parameter) const
{
    while (parameter.states.size() < m_description->states.size()) {
        parameter.states.push_back(at::zeros_like(parameter.parameter.tensor));
        tagStorage(parameter.states.back(), Component::OptimizerStates, parameter.parameter.module);
    }
}

void Optimizer::update(Optimised& parameter) const
{
    const UpdateTime time{m_lr, parameter.steps};
    at::Tensor& tensor = parameter.parameter.tensor;
    at::Tensor& gradient = tensor.mutable_grad();
    runUpdate(*m_description, tensor, gradient, parameter.states,
              [&time](const UpdateOperation& operation, const at::Tensor& x, const at::Tensor& left,
                      const at::Tensor& right) {
                  return computedUpdate(operation, operation.number.at(time), x, left, right);
              });
}

// Those of one type that have been updated as often, for which the update's numbers are the same.
void Optimizer::updateTogether()
{
    std::map<std::pair<std::int64_t, at::ScalarType>, std::vector<Optimised*>> groups;
    for (Optimised& parameter : m_parameters) {
        if (!parameter.parameter.tensor.grad().defined())
            continue;
        makeStates(parameter);
        groups[{++parameter.steps, parameter.parameter.tensor.scalar_type()}].push_back(&parameter);
    }
    using Tensors = std::vector<at::Tensor>;
    for (const auto& [key, group] : groups) {
        const UpdateTime time{m_lr, key.first};
        Tensors parameters, gradients;
        std::vector<Tensors> states(m_description->states.size());
        for (const Optimised* each : group) {
            parameters.push_back(each->parameter.tensor);
            gradients.push_back(each->parameter.tensor.grad());
            for (std::size_t i = 0; i < states.size(); ++i)
                states[i].push_back(each->states[i]);
        }
        runUpdate(
            formOfAll(m_description), parameters, gradients, states,
            [&time](const UpdateOperation& operation, const Tensors& x, const Tensors& left, const Tensors& right) {
                return computed(operation, operation.number.at(time), x, left, right);
            });
    }
}

} // namespace peakscope
