// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {
namespace {

bool runsLater(const ShadowNode* a, const ShadowNode* b)
{
    return a->sequence < b->sequence;
}

thread_local std::deque<ShadowNode> s_spareNodes; // of the last graph that is gone

} // namespace

ShadowType shadowType(Dtype dtype)
{
    switch (dtype) {
    case Dtype::Float32:
        return ShadowType::Float32;
    case Dtype::Float64:
        return ShadowType::Float64;
    case Dtype::BFloat16:
        return ShadowType::BFloat16;
    case Dtype::Float16:
        break;
    }
    return ShadowType::Float16;
}

std::int64_t bytesOf(ShadowType type)
{
    switch (type) {
    case ShadowType::Bool:
        return 1;
    case ShadowType::Float32:
        return 4;
    case ShadowType::Int64:
    case ShadowType::Float64:
        return 8;
    case ShadowType::BFloat16:
    case ShadowType::Float16:
        break;
    }
    return 2;
}

ShadowType wideType(ShadowType type)
{
    return type == ShadowType::Float64 ? ShadowType::Float64 : ShadowType::Float32;
}

bool isNarrow(ShadowType type)
{
    return type == ShadowType::BFloat16 || type == ShadowType::Float16;
}

ShadowTensor::ShadowTensor(const ShadowTensor& other)
    : edge(other.edge), pinned(other.pinned), m_type(other.m_type), m_storage(other.m_storage),
      m_memory(other.m_memory), m_elements(other.m_elements)
{
    if (m_storage != 0)
        m_memory->retain(m_storage);
}

ShadowTensor::ShadowTensor(ShadowTensor&& other) noexcept
    : edge(std::exchange(other.edge, {})), pinned(other.pinned), m_type(other.m_type),
      m_storage(std::exchange(other.m_storage, 0)), m_memory(other.m_memory), m_elements(other.m_elements)
{}

ShadowTensor& ShadowTensor::operator=(ShadowTensor other) noexcept
{
    std::swap(edge, other.edge);
    std::swap(pinned, other.pinned);
    std::swap(m_memory, other.m_memory);
    std::swap(m_storage, other.m_storage);
    std::swap(m_elements, other.m_elements);
    std::swap(m_type, other.m_type);
    return *this;
}

void ShadowTensor::reset()
{
    if (m_storage != 0)
        m_memory->release(std::exchange(m_storage, 0));
    edge = {};
}

ShadowTensor ShadowTensor::detached() const
{
    ShadowTensor copy = *this;
    copy.edge = {};
    return copy;
}

ShadowTensor ShadowTensor::viewOf(std::int64_t elements) const
{
    return viewOf(elements, m_type);
}

ShadowTensor ShadowTensor::viewOf(std::int64_t elements, ShadowType type) const
{
    ShadowTensor copy = *this;
    copy.m_elements = elements;
    copy.m_type = type;
    return copy;
}

bool ShadowBackward::wants(std::size_t slot) const
{
    return slot < node.next.size() && node.next[slot].node != nullptr;
}

ShadowGraph::ShadowGraph(ShadowMemory& memory) : m_memory(&memory)
{
    m_nodes.swap(s_spareNodes);
}

ShadowGraph::~ShadowGraph()
{
    clear();
    m_nodes.swap(s_spareNodes);
}

void ShadowGraph::makeLeaf(ShadowParameter& parameter)
{
    if (!parameter.trainable)
        return;
    ShadowNode& node = m_leaves.emplace_back();
    node.accumulates = &parameter;
    node.sequence = std::numeric_limits<std::uint64_t>::max(); // runs as soon as it can
    node.inputs.push_back({});
    parameter.tensor.edge = {&node, 0};
}

ShadowNode* ShadowGraph::record(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs,
                                SavedTensors saved, std::function<void(ShadowBackward&)> backward)
{
    output.edge = {};
    if (!m_gradientMode)
        return nullptr;
    const bool wanted =
        std::any_of(inputs.begin(), inputs.end(), [](const ShadowTensor* input) { return input->needsGradient(); });
    if (!wanted)
        return nullptr;
    return &addNode(output, inputs, std::move(saved), std::move(backward));
}

void ShadowGraph::recordAlways(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs,
                               SavedTensors saved, std::function<void(ShadowBackward&)> backward)
{
    output.edge = {};
    if (m_gradientMode)
        addNode(output, inputs, std::move(saved), std::move(backward));
}

ShadowNode& ShadowGraph::addNode(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs,
                                 SavedTensors saved, std::function<void(ShadowBackward&)> backward)
{
    if (m_used == m_nodes.size())
        m_nodes.emplace_back();
    ShadowNode& node = m_nodes[m_used++];
    node.sequence = m_sequence++;
    node.module = m_memory->module();
    node.inputs.push_back({});
    node.backward = std::move(backward);
    for (const ShadowTensor* input : inputs)
        node.next.push_back(input->edge);
    // Saved handles keep storages, not history: the engine's nodes hold their graph by their edges.
    for (ShadowTensor& tensor : saved)
        tensor.edge = {};
    node.saved = std::move(saved);
    output.edge = {&node, 0};
    return node;
}

void ShadowGraph::countDependencies(ShadowNode* root)
{
    ++m_visit;
    std::vector<ShadowNode*> open{root};
    root->visit = m_visit;
    root->dependencies = 0;
    while (!open.empty()) {
        const ShadowNode* node = open.back();
        open.pop_back();
        for (const ShadowEdge& edge : node->next) {
            if (!edge.node)
                continue;
            if (edge.node->visit != m_visit) {
                edge.node->visit = m_visit;
                edge.node->dependencies = 0;
                open.push_back(edge.node);
            }
            ++edge.node->dependencies;
        }
    }
}

void ShadowGraph::backward(const ShadowTensor& root, ShadowTensor gradient, bool keep)
{
    ShadowNode* first = root.edge.node;
    if (!first)
        return;
    const bool outer = std::exchange(m_gradientMode, false);
    const bool outerKeep = std::exchange(m_keep, keep);
    const std::uint16_t module = m_memory->module();
    countDependencies(first);
    gradient.edge = {};
    first->inputs[static_cast<std::size_t>(root.edge.slot)] = std::move(gradient);
    std::vector<ShadowNode*> ready{first};
    while (!ready.empty()) {
        std::pop_heap(ready.begin(), ready.end(), runsLater);
        ShadowNode* node = ready.back();
        ready.pop_back();
        evaluate(*node, ready);
    }
    m_memory->setModule(module);
    m_keep = outerKeep;
    m_gradientMode = outer;
}

void ShadowGraph::evaluate(ShadowNode& node, std::vector<ShadowNode*>& ready)
{
    const std::uint32_t work = m_memory->openWork(ShadowWork::Node);
    if (node.accumulates) {
        accumulate(node);
        m_memory->closeWork(work);
        return;
    }
    if (node.module != 0)
        m_memory->setModule(node.module);
    ShadowBackward call{node.inputs, node.saved, {}, node};
    node.backward(call);
    for (std::size_t i = 0; i < call.out.size(); ++i) {
        if (!call.wants(i))
            call.out[i].reset(); // made for nobody
    }
    for (std::size_t i = 0; i < node.next.size(); ++i) {
        const ShadowNode* next = node.next[i].node;
        if (next && next->accumulates && call.out[i].defined())
            m_memory->tag(call.out[i].storage(), Component::Gradients);
    }
    for (ShadowTensor& input : node.inputs)
        input.reset();
    if (!m_keep) {
        for (ShadowTensor& saved : node.saved)
            saved.reset();
        node.backward = nullptr;
    }
    for (std::size_t i = 0; i < node.next.size(); ++i) {
        if (node.next[i].node)
            hand(std::move(call.out[i]), node.next[i], ready);
    }
    m_memory->closeWork(work);
}

void ShadowGraph::hand(ShadowTensor gradient, const ShadowEdge& edge, std::vector<ShadowNode*>& ready)
{
    gradient.edge = {};
    if (gradient.defined())
        sum(edge.node->inputs[static_cast<std::size_t>(edge.slot)], std::move(gradient));
    if (--edge.node->dependencies == 0) {
        ready.push_back(edge.node);
        std::push_heap(ready.begin(), ready.end(), runsLater);
    }
}

// LibTorch's InputBuffer: in place where nobody else holds what is there. Measured with 2.15: gradients that a product
// without a bias made (a tied embedding's first, a bias-free projection's) are not added to but replaced by the sum.
void ShadowGraph::sum(ShadowTensor& buffer, ShadowTensor gradient)
{
    if (!buffer.defined()) {
        buffer = std::move(gradient);
        return;
    }
    if (!buffer.shared() && !buffer.pinned)
        return;
    const Component component = m_memory->componentOf(buffer.storage());
    buffer = fresh(buffer.elements(), buffer.type());
    if (component == Component::Gradients)
        m_memory->tag(buffer.storage(), component);
}

void ShadowGraph::accumulate(ShadowNode& node)
{
    ShadowParameter& parameter = *node.accumulates;
    ShadowTensor gradient = std::move(node.inputs[0]);
    if (!gradient.defined())
        return;
    if (parameter.gradient.defined())
        return; // added in place
    if (gradient.shared())
        gradient = fresh(gradient.elements(), gradient.type());
    m_memory->tag(gradient.storage(), Component::Gradients, parameter.module);
    parameter.gradient = std::move(gradient);
    if (m_afterGradient)
        m_afterGradient(parameter);
}

void ShadowGraph::clear()
{
    for (std::size_t i = 0; i < m_used; ++i)
        m_nodes[i] = ShadowNode();
    m_used = 0;
    m_held.clear();
}

} // namespace peakscope
