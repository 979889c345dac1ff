// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/unit_hooks.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Action : torch::CustomClassHolder {
    std::function<void()> run;
};

struct BorderFunction : torch::autograd::Function<BorderFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const c10::intrusive_ptr<Action>& action)
    {
        context->saved_data["action"] = c10::IValue::make_capsule(action);
        return x.view_as(x);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        c10::static_intrusive_pointer_cast<Action>(context->saved_data["action"].toCapsule())->run();
        return {std::move(gradients[0]), at::Tensor()};
    }
};

} // namespace

at::Tensor whenBackwardPasses(const at::Tensor& x, std::function<void()> action)
{
    if (!at::GradMode::is_enabled() || !x.requires_grad())
        return x;
    auto holder = c10::make_intrusive<Action>();
    holder->run = std::move(action);
    return BorderFunction::apply(x, holder);
}

} // namespace peakscope
