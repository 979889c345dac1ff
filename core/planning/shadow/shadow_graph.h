// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Autograd without numbers: tensors that are sizes, nodes that keep what LibTorch's nodes keep, and a backward pass in
// the order of LibTorch's engine (highest sequence number first, gradients summed in place where nobody else holds
// them). The simulation's model is written in these. One simulation, one thread.
#pragma once

#include "core/base/few_values.h"
#include "core/planning/shadow/shadow_memory.h"

#include <array>
#include <deque>
#include <functional>
#include <initializer_list>

namespace peakscope {

enum class ShadowType : std::uint8_t { Bool, Int64, Float32, Float64, BFloat16, Float16 };
ShadowType shadowType(Dtype dtype); // of parameters
std::int64_t bytesOf(ShadowType type);
// The type of sums, norms and softmaxes: float64 stays, everything else is float32.
ShadowType wideType(ShadowType type);
bool isNarrow(ShadowType type); // 16 bits

struct ShadowNode;

struct ShadowEdge {
    ShadowNode* node = nullptr; // null: no gradient is wanted
    int slot = 0;
};

// A handle on a storage; views are handles on the same one.
class ShadowTensor
{
public:
    ShadowTensor() = default;
    ShadowTensor(ShadowMemory& memory, std::int64_t elements, ShadowType type)
        : m_type(type), m_storage(memory.allocate(elements * bytesOf(type))), m_memory(&memory), m_elements(elements)
    {}
    ShadowTensor(const ShadowTensor& other);
    ShadowTensor(ShadowTensor&& other) noexcept;
    ShadowTensor& operator=(ShadowTensor other) noexcept;
    ~ShadowTensor() { reset(); }
    void reset();

    bool defined() const { return m_storage != 0; }
    StorageId storage() const { return m_storage; }
    ShadowMemory& memory() const { return *m_memory; }
    std::int64_t elements() const { return m_elements; }
    ShadowType type() const { return m_type; }
    bool shared() const { return m_memory->references(m_storage) > 1; }

    ShadowTensor detached() const; // the same storage without its history
    // A view on part of the storage, or with another number of elements (an expansion).
    ShadowTensor viewOf(std::int64_t elements) const;
    ShadowTensor viewOf(std::int64_t elements, ShadowType type) const; // taken for numbers of another type

    ShadowEdge edge;     // where its gradient goes
    bool pinned = false; // a gradient that no other may be added to in place
    bool needsGradient() const { return edge.node != nullptr; }

private:
    ShadowType m_type = ShadowType::Float32;
    StorageId m_storage = 0;
    ShadowMemory* m_memory = nullptr;
    std::int64_t m_elements = 0;
};

// What a node keeps for its backward function.
using SavedTensors = FewValues<ShadowTensor, 6>;
// The gradients of a node's outputs.
using OutputGradients = FewValues<ShadowTensor, 4>;

// What a node's backward function sees: gradients of its outputs, what it saved, and the gradients it makes.
struct ShadowBackward {
    OutputGradients& in;
    SavedTensors& saved;
    std::array<ShadowTensor, 8> out;
    const ShadowNode& node;
    // Whether the gradient of input `slot` is wanted.
    bool wants(std::size_t slot) const;
};

struct ShadowParameter {
    ShadowTensor tensor;
    ShadowTensor gradient;
    ShadowTensor cast; // autocast's cached narrow copy, with its graph
    std::vector<ShadowTensor> optimizerStates;
    std::uint16_t module = 0;
    std::uint32_t place = 0; // among the model's parameters, adapters behind them
    bool trainable = true;
};

struct ShadowNode {
    std::function<void(ShadowBackward&)> backward;
    SavedTensors saved;
    OutputGradients inputs; // summed as they arrive
    FewValues<ShadowEdge, 4> next;
    ShadowParameter* accumulates = nullptr;
    std::uint64_t sequence = 0;
    std::uint32_t dependencies = 0;
    std::uint32_t visit = 0;
    std::uint16_t module = 0;
};

class ShadowGraph
{
public:
    explicit ShadowGraph(ShadowMemory& memory);
    ~ShadowGraph();
    ShadowGraph(const ShadowGraph&) = delete;
    ShadowGraph& operator=(const ShadowGraph&) = delete;

    ShadowMemory& memory() { return *m_memory; }
    bool gradientMode() const { return m_gradientMode; }
    void setGradientMode(bool on) { m_gradientMode = on; }

    ShadowTensor fresh(std::int64_t elements, ShadowType type) { return {*m_memory, elements, type}; }

    // A leaf that needs gradients; `parameter` must stay where it is.
    void makeLeaf(ShadowParameter& parameter);

    // Records how `outputs` (1 or more handles of one result) come from `inputs`; nothing where no input needs a
    // gradient or gradients are off. Returns the node or null.
    ShadowNode* record(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs, SavedTensors saved,
                       std::function<void(ShadowBackward&)> backward);

    // As record, but also where no input needs a gradient.
    void recordAlways(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs, SavedTensors saved,
                      std::function<void(ShadowBackward&)> backward);

    // Runs backward from `root`; `gradient` flows in. May be called from within a backward function (a checkpoint).
    // `keep`: nodes keep what they saved, for another pass.
    void backward(const ShadowTensor& root, ShadowTensor gradient, bool keep = false);

    // Called once a parameter's gradient is there, in backward.
    void afterGradient(std::function<void(ShadowParameter&)> action) { m_afterGradient = std::move(action); }

    // Keeps the tensor until the graph's end, as the accumulator of a leaf does.
    void hold(ShadowTensor leaf) { m_held.push_back(std::move(leaf)); }

    // Drops all nodes (the graph's end); leaves stay.
    void clear();

private:
    ShadowNode& addNode(ShadowTensor& output, std::initializer_list<const ShadowTensor*> inputs, SavedTensors saved,
                        std::function<void(ShadowBackward&)> backward);
    void countDependencies(ShadowNode* root);
    void evaluate(ShadowNode& node, std::vector<ShadowNode*>& ready);
    void accumulate(ShadowNode& node);
    void hand(ShadowTensor gradient, const ShadowEdge& edge, std::vector<ShadowNode*>& ready);
    void sum(ShadowTensor& buffer, ShadowTensor gradient);

    ShadowMemory* m_memory;
    std::deque<ShadowNode> m_nodes; // the first m_used count, the others wait to be used again
    std::size_t m_used = 0;
    std::deque<ShadowNode> m_leaves;
    std::vector<ShadowTensor> m_held;
    std::function<void(ShadowParameter&)> m_afterGradient;
    std::uint64_t m_sequence = 0;
    std::uint32_t m_visit = 0;
    bool m_gradientMode = true;
    bool m_keep = false;
};

// While it lives, storages belong to the module, and so does what backward makes for the nodes recorded.
class ShadowModuleScope
{
public:
    ShadowModuleScope(ShadowMemory& memory, std::uint16_t module) : m_memory(memory), m_outer(memory.module())
    {
        memory.setModule(module);
    }
    ~ShadowModuleScope() { m_memory.setModule(m_outer); }
    ShadowModuleScope(const ShadowModuleScope&) = delete;
    ShadowModuleScope& operator=(const ShadowModuleScope&) = delete;

private:
    ShadowMemory& m_memory;
    std::uint16_t m_outer;
};

} // namespace peakscope
