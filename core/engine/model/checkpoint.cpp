// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/checkpoint.h"

#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/device/torch_compat.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What backward needs besides the saved input.
struct CheckpointState : torch::CustomClassHolder {
    LayerFunction layer;
    AutocastState autocast;
    bool inputGradient = true; // false: only the layer's parameters need theirs
};

// The gradient that reached the input of a recomputed layer.
struct CaughtGradient : torch::CustomClassHolder {
    at::Tensor gradient;
};

template <typename Holder>
c10::intrusive_ptr<Holder> held(AutogradContext* context, const char* key)
{
    return c10::static_intrusive_pointer_cast<Holder>(context->saved_data[key].toCapsule());
}

// An identity that keeps the gradient passing through it instead of handing it on. A plain leaf would do too, but its
// accumulator may copy, and would look like a parameter's to the ledger.
struct CatchFunction : torch::autograd::Function<CatchFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, c10::intrusive_ptr<CaughtGradient> caught)
    {
        context->saved_data["caught"] = c10::IValue::make_capsule(std::move(caught));
        return x.view_as(x);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        held<CaughtGradient>(context, "caught")->gradient = std::move(gradients[0]);
        return {at::Tensor(), at::Tensor()};
    }
};

struct CheckpointFunction : torch::autograd::Function<CheckpointFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                              const c10::intrusive_ptr<CheckpointState>& state)
    {
        context->save_for_backward({input});
        context->saved_data["state"] = c10::IValue::make_capsule(state);
        // Without a graph: apply() has switched gradients off. A weight converted now must not be found in autocast's
        // cache by code that needs its graph.
        AutocastState autocast = state->autocast;
        autocast.cache = false;
        const AutocastGuard guard(input.device().type(), autocast);
        return state->layer(input);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "a checkpointed layer has no second derivative; set training.checkpointing to false");
        const auto state = held<CheckpointState>(context, "state");
        const auto caught = c10::make_intrusive<CaughtGradient>();
        at::Tensor output;
        {
            const RecomputeScope scope;
            const at::AutoGradMode gradients(true);
            AutocastState autocast = state->autocast;
            autocast.cache = false;
            const at::Tensor input = context->get_saved_variables()[0].detach();
            const AutocastGuard guard(input.device().type(), autocast);
            output =
                state->layer(state->inputGradient ? CatchFunction::apply(input.requires_grad_(true), caught) : input);
        }
        if (!output.requires_grad())
            return {at::Tensor(), at::Tensor()}; // frozen from the first layer to here
        watchGradients(output);
        torch::autograd::backward({output}, {gradients[0]});
        return {std::move(caught->gradient), at::Tensor()};
    }
};

} // namespace

at::Tensor checkpointed(LayerFunction layer, const at::Tensor& input)
{
    if (!at::GradMode::is_enabled())
        return layer(input);
    auto state = c10::make_intrusive<CheckpointState>();
    state->layer = std::move(layer);
    state->autocast = AutocastState::current(input.device().type());
    state->inputGradient = input.requires_grad();
    // Autograd records nothing for an input that needs no gradient, though the layer's parameters may need theirs.
    return CheckpointFunction::apply(input.requires_grad() ? input : input.detach().requires_grad_(true), state);
}

AutocastState AutocastState::current(c10::DeviceType device)
{
    AutocastState state;
    state.cache = at::autocast::is_autocast_cache_enabled();
#if PEAKSCOPE_TORCH_AUTOCAST_DEVICE
    state.enabled = at::autocast::is_autocast_enabled(device);
    state.dtype = at::autocast::get_autocast_dtype(device);
#else
    const bool cpu = device == c10::DeviceType::CPU;
    state.enabled = cpu ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
    state.dtype = cpu ? at::autocast::get_autocast_cpu_dtype() : at::autocast::get_autocast_gpu_dtype();
#endif
    return state;
}

void AutocastState::apply(c10::DeviceType device) const
{
    at::autocast::set_autocast_cache_enabled(cache);
#if PEAKSCOPE_TORCH_AUTOCAST_DEVICE
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_enabled(device, enabled);
#else
    if (device == c10::DeviceType::CPU) {
        at::autocast::set_autocast_cpu_dtype(dtype);
        at::autocast::set_cpu_enabled(enabled);
    } else {
        at::autocast::set_autocast_gpu_dtype(dtype);
        at::autocast::set_enabled(enabled);
    }
#endif
}

AutocastGuard::AutocastGuard(c10::DeviceType device, const AutocastState& state)
    : m_device(device), m_former(AutocastState::current(device))
{
    state.apply(device);
}

AutocastGuard::~AutocastGuard()
{
    m_former.apply(m_device);
}

} // namespace peakscope
