// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The simulated model: interprets a model's description (core/model) with shadow operators, as the engine's Model does
// with ATen's.
#pragma once

#include "core/model/operations.h"
#include "core/planning/shadow/shadow_operators.h"

#include <array>
#include <deque>
#include <memory>

namespace peakscope {

// What happens at the borders of every unit's work (the engine's UnitHooks, core/engine/model/unit_hooks.h).
class ShadowHooks
{
public:
    virtual ~ShadowHooks() = default;
    virtual void enterForward(std::size_t unit) = 0;
    virtual void leaveForward(std::size_t unit) = 0;
    virtual void enterBackward(std::size_t unit) = 0;
    virtual void leaveBackward(std::size_t unit) = 0;
};

// Of the two matrices beside weights of a type.
ShadowType shadowAdapterType(const LoraOptions& options, ShadowType weights);

class ShadowModel
{
public:
    // Parameters are allocated under the phase that stands; `type` is theirs. `drawn`: with random numbers, a piece in
    // float32 at a time. `placed`: they have no memory before setMemory gives them some.
    ShadowModel(ShadowGraph& graph, const ModelConfig& config, ShadowType type, bool drawn, bool placed = false);

    // From now on the parameter is a view of `memory`.
    static void setMemory(ShadowParameter& parameter, const ShadowTensor& memory);
    // A quantized weight in the form it is stored in, made of the numbers it has now; any other stays as it is.
    void store(ShadowParameter& parameter);
    // Must outlive the model; null: none.
    void setHooks(ShadowHooks* hooks) { m_hooks = hooks; }

    // Freezes all parameters and puts adapters beside the linear layers that `targets` name. An error names a target
    // that no layer of the family has.
    Status addAdapters(const LoraOptions& options);

    // tokens [B, T] -> hidden states that the head multiplies.
    ShadowTensor hidden(ShadowContext& context, const ShadowTensor& tokens, bool checkpointing);
    ShadowTensor loss(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels, bool denominator);

    // Every row's own loss, of a clipped step.
    ShadowTensor sampleLosses(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels);

    // In the order of parameterSpecs, then of adapterSpecs.
    const std::vector<ShadowParameter*>& parameters() const { return m_parameters; }
    // Its row of parameterSpecs, or of adapterSpecs.
    const ParameterSpec& specOf(const ShadowParameter& parameter) const
    {
        const std::size_t own = m_specs.size();
        return parameter.place < own ? m_specs[parameter.place] : m_adapterSpecs[parameter.place - own];
    }
    // An embedding that is the head too.
    bool isTied(const ShadowParameter& parameter) { return m_config.tied && &parameter == &head(); }
    void dropCasts();

private:
    // An operation with its tensors.
    struct Step {
        std::uint16_t module = 0;
        ShadowLinear linear;
        ShadowNorm norm;
        ShadowExperts experts;
    };

    void make(ShadowParameter& parameter, std::int64_t elements, ShadowType type, std::uint16_t module);
    void bind(Step& step, const Operation& operation);
    void bindExperts(ShadowExperts& experts, const Operation& operation);
    ShadowLinear linearOf(std::size_t weight);
    ShadowLinear* linearNamed(const std::string& name);
    ShadowTensor run(ShadowContext& context, std::size_t begin, std::size_t end, ShadowTensor start);
    ShadowTensor valueOf(ShadowContext& context, std::size_t index, const std::array<ShadowTensor*, 3>& in);
    void makeTables(ShadowContext& context);
    ShadowTensor border(const ShadowTensor& x, std::function<void()> action);
    ShadowTensor enterUnit(std::size_t unit, const ShadowTensor& x);
    ShadowTensor leaveUnit(std::size_t unit, const ShadowTensor& x, bool keep);
    ShadowTensor unitLayer(ShadowContext& context, std::size_t index, const ShadowTensor& x, bool keep);
    ShadowTensor checkpointed(ShadowContext& context, std::size_t index, const ShadowTensor& x);
    ShadowParameter& head() { return m_owned[m_program.operations.back().parameters.front()]; }

    struct Description;
    static std::shared_ptr<const Description> describedAs(const ModelConfig& config);

    ShadowGraph& m_graph;
    ModelConfig m_config;
    std::shared_ptr<const Description> m_description;
    const std::vector<ParameterSpec>& m_specs; // this and the next two are the description's
    const ModelProgram& m_program;
    const std::vector<std::size_t>& m_lastUse;
    std::vector<std::size_t> m_begins; // of each layer, then of what comes after them
    ShadowType m_type;
    bool m_drawn;
    ShadowTensor m_nothing; // what placed parameters are views of at first; undefined: they have their own memory
    ShadowHooks* m_hooks = nullptr;
    std::int64_t m_largest = 0;          // of the parameters made so far, in elements
    std::deque<ShadowParameter> m_owned; // one for each of m_specs
    std::vector<ShadowTensor> m_scales;  // of quantized ones
    std::deque<Step> m_steps;
    std::vector<ShadowTensor> m_parts; // of the value that is being picked from
    std::deque<ShadowAdapter> m_adapters;
    std::vector<ParameterSpec> m_adapterSpecs; // two for each
    std::vector<ShadowParameter*> m_parameters;
};

} // namespace peakscope
