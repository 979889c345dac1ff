// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/optimizer.h"

#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/training/whole_update.h"
#include "core/optimizers/form_of_all.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <map>
#include <tuple>

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
        return inPlace ? x.sign_() : x.sign();
    default:
        return computedWhole(operation, number, x, left);
    }
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
        default: // no kernel takes many tensors
            break;
        }
        std::vector<at::Tensor> made;
        for (std::size_t i = 0; i < x.size(); ++i)
            made.push_back(computedUpdate(operation, number, x[i], left[i], right[i]));
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
    default:
        for (std::size_t i = 0; i < x.size(); ++i)
            computedUpdate(operation, number, x[i], left[i], right[i]);
        break;
    }
    return {};
}

TensorShape tensorShape(const Parameter& parameter)
{
    const at::Tensor& tensor = parameter.tensor;
    TensorShape shape{tensor.numel()};
    if (tensor.dim() > 1) {
        shape.rows = tensor.size(-2);
        shape.columns = tensor.size(-1);
    }
    shape.embedding = parameter.spec.kind == ModuleKind::Embedding;
    shape.hidden = tensor.dim() == 2 && !shape.embedding && parameter.spec.kind != ModuleKind::Head;
    return shape;
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
            m_parameters.push_back({parameter, tensorShape(parameter), {}, {}, 0});
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
    if (!parameter.states.empty())
        return;
    const at::Tensor& tensor = parameter.parameter.tensor;
    const auto add = [&parameter](at::Tensor state) {
        tagStorage(state, Component::OptimizerStates, parameter.parameter.module);
        parameter.states.push_back(std::move(state));
    };
    if (!m_description->updatesAsMatrix(parameter.shape)) {
        for (std::size_t i = 0; i < m_description->states.size(); ++i)
            add(at::zeros_like(tensor));
        return;
    }
    for (const StateShape shape : m_description->matrices->states) {
        std::vector<std::int64_t> sizes = tensor.sizes().vec();
        if (shape != StateShape::Whole)
            sizes[sizes.size() - (shape == StateShape::Rows ? 1 : 2)] = 1;
        add(at::zeros(sizes, tensor.options().requires_grad(false)));
    }
}

void Optimizer::update(Optimised& parameter) const
{
    const UpdateTime time{m_lr, parameter.steps, parameter.shape.rows, parameter.shape.columns};
    at::Tensor& tensor = parameter.parameter.tensor;
    at::Tensor& gradient = tensor.mutable_grad();
    runUpdate(m_description->updateOf(parameter.shape), tensor, gradient, parameter.states,
              [&time](const UpdateOperation& operation, const at::Tensor& x, const at::Tensor& left,
                      const at::Tensor& right) {
                  return computedUpdate(operation, operation.number.at(time), x, left, right);
              });
}

// Those of one rule and type that have been updated as often, for which the update's numbers are the same.
void Optimizer::updateTogether()
{
    std::map<std::tuple<bool, std::int64_t, at::ScalarType>, std::vector<Optimised*>> groups;
    for (Optimised& parameter : m_parameters) {
        if (!parameter.parameter.tensor.grad().defined())
            continue;
        makeStates(parameter);
        const bool matrix = m_description->updatesAsMatrix(parameter.shape);
        groups[{matrix, ++parameter.steps, parameter.parameter.tensor.scalar_type()}].push_back(&parameter);
    }
    using Tensors = std::vector<at::Tensor>;
    for (const auto& [key, group] : groups) {
        const UpdateTime time{m_lr, std::get<1>(key)};
        Tensors parameters, gradients;
        std::vector<Tensors> states(group.front()->states.size());
        for (const Optimised* each : group) {
            parameters.push_back(each->parameter.tensor);
            gradients.push_back(each->parameter.tensor.grad());
            for (std::size_t i = 0; i < states.size(); ++i)
                states[i].push_back(each->states[i]);
        }
        runUpdate(
            formOfAll(m_description).updateOf(group.front()->shape), parameters, gradients, states,
            [&time](const UpdateOperation& operation, const Tensors& x, const Tensors& left, const Tensors& right) {
                return computed(operation, operation.number.at(time), x, left, right);
            });
    }
}

} // namespace peakscope
