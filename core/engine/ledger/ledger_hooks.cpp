// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/ledger_hooks.h"

#include "core/engine/ledger/device_ledger.h"
#include "core/engine/ledger/cpu_allocator.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/operator_tracer.h"
#include "core/engine/ledger/storage_blocks.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <unordered_set>

namespace peakscope {
namespace {

// Runs after a node: what it hands to an accumulator is a parameter's gradient.
class GradientMarker final : public torch::autograd::FunctionPostHook
{
public:
    explicit GradientMarker(std::vector<std::size_t> edges) : m_edges(std::move(edges)) {}

    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list&) override
    {
        for (const std::size_t edge : m_edges) {
            if (edge < outputs.size() && outputs[edge].defined())
                tagStorage(outputs[edge], Component::Gradients);
        }
        return outputs;
    }

private:
    std::vector<std::size_t> m_edges;
};

// Runs before an accumulator that several nodes feed (a tied weight): autograd may have summed what they made into a
// buffer of its own, which is the parameter's gradient too, also where it is freed once it is added to an earlier one.
class SummedGradientMarker final : public torch::autograd::FunctionPreHook
{
public:
    torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override
    {
        for (const at::Tensor& gradient : gradients) {
            if (gradient.defined())
                tagStorage(gradient, Component::Gradients);
        }
        return gradients;
    }
};

bool accumulates(const torch::autograd::Edge& edge)
{
    return edge.function && dynamic_cast<torch::autograd::AccumulateGrad*>(edge.function.get()) != nullptr;
}

// An accumulator may outlive one graph: it is watched once.
void watchSum(torch::autograd::Node& accumulator)
{
    for (const auto& hook : accumulator.pre_hooks()) {
        if (dynamic_cast<SummedGradientMarker*>(hook.get()))
            return;
    }
    accumulator.add_pre_hook(std::make_unique<SummedGradientMarker>());
}

// Views between a node and the accumulator (the transpose behind a linear layer) pass the same storage on, so marking
// the node next to the accumulator marks the gradient from its birth.
void watchNode(torch::autograd::Node& node, std::unordered_set<torch::autograd::Node*>& accumulators)
{
    std::vector<std::size_t> edges;
    for (std::size_t i = 0; i < node.next_edges().size(); ++i) {
        if (!accumulates(node.next_edge(i)))
            continue;
        edges.push_back(i);
        torch::autograd::Node& accumulator = *node.next_edge(i).function;
        if (!accumulators.insert(&accumulator).second)
            watchSum(accumulator);
    }
    if (!edges.empty())
        node.add_post_hook(std::make_unique<GradientMarker>(std::move(edges)));
}

} // namespace

ModuleId registerModule(const std::string& name, std::optional<ModuleKind> kind)
{
    return Ledger::instance().registerModule(name, kind);
}

ModuleScope::ModuleScope(ModuleId module)
    : m_outer(Ledger::instance().module()), m_firstSequence(0), m_startNanoseconds(0)
{
    Ledger& ledger = Ledger::instance();
    if (!ledger.recording())
        return;
    if (DeviceLedger::instance().reservedBytes() >= 0)
        ledger.admit(0); // a device's allocator does not ask whether to go on
    m_firstSequence = at::sequence_number::peek();
    m_startNanoseconds = ledger.nanosecondsNow();
    if (m_outer != 0 && m_outer != module)
        ledger.setModuleParent(module, m_outer);
    ledger.setModule(module);
}

ModuleScope::~ModuleScope()
{
    Ledger& ledger = Ledger::instance();
    if (!ledger.recording())
        return;
    OperatorTracer& tracer = OperatorTracer::instance();
    const ModuleId module = ledger.module();
    tracer.assignSequences(m_firstSequence, at::sequence_number::peek(), module);
    tracer.addForwardTime(module, ledger.nanosecondsNow() - m_startNanoseconds);
    ledger.setModule(m_outer);
}

RecomputeScope::RecomputeScope() : m_outer(0), m_outerModule(0)
{
    Ledger& ledger = Ledger::instance();
    if (!ledger.recording())
        return;
    m_outer = ledger.openScope(ScopeKind::Recompute);
    // What is repeated runs inside the module it ran in at first, not in that whose backward pass asked for it.
    m_outerModule = ledger.module();
    ledger.setModule(0);
}

RecomputeScope::~RecomputeScope()
{
    if (m_outer == 0)
        return;
    Ledger::instance().closeScope(m_outer);
    Ledger::instance().setModule(m_outerModule);
}

BlockId blockOf(const at::TensorBase& tensor)
{
    if (!tensor.defined() || !tensor.has_storage())
        return 0;
    const c10::DataPtr& data = tensor.storage().data_ptr();
    if (data.device().is_cpu())
        return blockOfCpuData(data.get(), data.get_deleter());
    return blockOfDeviceData(data.get());
}

void tagStorage(const at::TensorBase& tensor, Component component)
{
    Ledger& ledger = Ledger::instance();
    if (ledger.recording())
        ledger.tag(blockOf(tensor), component);
}

void tagStorage(const at::TensorBase& tensor, Component component, ModuleId module)
{
    Ledger& ledger = Ledger::instance();
    if (ledger.recording())
        ledger.tag(blockOf(tensor), component, module);
}

void retagStorage(const at::TensorBase& tensor, Component component)
{
    Ledger& ledger = Ledger::instance();
    if (ledger.recording())
        ledger.retag(blockOf(tensor), component);
}

void watchGradients(const at::TensorBase& root)
{
    if (!Ledger::instance().recording() || !root.grad_fn())
        return;
    std::unordered_set<torch::autograd::Node*> seen, accumulators;
    std::vector<torch::autograd::Node*> open{root.grad_fn().get()};
    seen.insert(open.front());
    while (!open.empty()) {
        torch::autograd::Node* node = open.back();
        open.pop_back();
        watchNode(*node, accumulators);
        for (const torch::autograd::Edge& edge : node->next_edges()) {
            if (edge.function && !accumulates(edge) && seen.insert(edge.function.get()).second)
                open.push_back(edge.function.get());
        }
    }
}

} // namespace peakscope
