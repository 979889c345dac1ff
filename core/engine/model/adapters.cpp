// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adapter_specs.h"

#include "core/engine/model/layers.h"
#include "core/engine/model/model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>

namespace peakscope {
namespace {

// Apart from the generator that drew the weights, or both would start with the same numbers.
constexpr std::uint64_t kAdapterStream = 0x9E3779B97F4A7C15u;

// Of 16-bit weights, as wide as peft makes them where that is asked for.
at::TensorOptions adapterOptions(const Linear& linear, AdapterType type)
{
    const at::TensorOptions own = linear.options();
    const bool narrow = own.dtype().itemsize() == 2;
    return narrow && type == AdapterType::Float32 ? own.dtype(at::kFloat) : own;
}

// He et al. 2015 with the slope sqrt(5) that peft passes on: uniform in +-1/sqrt(in). Drawn in float32 on the CPU.
void drawFirstMatrix(const at::Tensor& matrix, at::Generator& generator)
{
    const double bound = 1 / std::sqrt(static_cast<double>(matrix.size(1)));
    const at::Tensor values = at::empty(matrix.sizes(), at::TensorOptions(at::kFloat));
    matrix.copy_(values.uniform_(-bound, bound, generator));
}

} // namespace

at::Tensor Model::addAdapterParameter(ParameterSpec spec, const at::TensorOptions& options, ModuleId module)
{
    Parameter parameter;
    parameter.tensor = m_placement ? m_placement->place(spec, options) : at::empty(spec.shape, options);
    tagStorage(parameter.tensor, Component::Parameters);
    parameter.spec = std::move(spec);
    parameter.module = module;
    m_index.emplace(parameter.spec.name, m_parameters.size());
    m_parameters.push_back(parameter);
    return parameter.tensor;
}

Status Model::addAdapters(const LoraOptions& options, std::uint64_t seed)
{
    const auto plan = adapterPlan(m_config, options);
    if (!plan)
        return plan.error();
    if (plan->layers.empty())
        return Done{};
    const auto specs = adapterSpecs(m_config, options);
    const at::NoGradGuard guard;
    for (Parameter& parameter : m_parameters)
        parameter.tensor.set_requires_grad(false);
    at::Generator generator = at::detail::createCPUGenerator(seed ^ kAdapterStream);
    const double scale = options.alpha / static_cast<double>(options.rank);
    for (std::size_t i = 0; i < plan->layers.size(); ++i) {
        Linear* linear = linearNamed(plan->layers[i].name);
        if (linear == nullptr)
            return failed("training.lora", "the model has no layer " + plan->layers[i].name);
        Adapter& adapter = linear->adapter;
        adapter.scale = scale;
        adapter.module = registerModule(plan->layers[i].name + ".lora", ModuleKind::Lora);
        const at::TensorOptions tensors = adapterOptions(*linear, options.dtype);
        adapter.a = addAdapterParameter((*specs)[2 * i], tensors, adapter.module);
        adapter.b = addAdapterParameter((*specs)[2 * i + 1], tensors, adapter.module);
        drawFirstMatrix(adapter.a, generator);
        adapter.b.zero_();
        for (const at::Tensor* matrix : {&adapter.a, &adapter.b}) {
            if (m_placement)
                m_placement->close(m_parameters[m_parameters.size() - (matrix == &adapter.a ? 2 : 1)], *matrix);
            matrix->set_requires_grad(true);
        }
    }
    return Done{};
}

} // namespace peakscope
