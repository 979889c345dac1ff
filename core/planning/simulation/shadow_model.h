// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The simulated model: the families' layers over shadow operators, written beside core/engine/model_*.cpp.
#pragma once

#include "core/planning/simulation/shadow_operators.h"

#include <deque>

namespace peakscope {

struct LinearShape;

// What happens at the borders of every unit's work (the engine's UnitHooks, core/engine/unit_hooks.h).
class ShadowHooks
{
public:
    virtual ~ShadowHooks() = default;
    virtual void enterForward(std::size_t unit) = 0;
    virtual void leaveForward(std::size_t unit) = 0;
    virtual void enterBackward(std::size_t unit) = 0;
    virtual void leaveBackward(std::size_t unit) = 0;
};

class ShadowModel
{
public:
    // Parameters are allocated under the phase that stands; `type` is theirs. `drawn`: with random numbers, a piece in
    // float32 at a time. `placed`: they have no memory before setMemory gives them some.
    ShadowModel(ShadowGraph& graph, const ModelConfig& config, ShadowType type, bool drawn, bool placed = false);

    // From now on the parameter is a view of `memory`.
    static void setMemory(ShadowParameter& parameter, const ShadowTensor& memory);
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

    const std::vector<ShadowParameter*>& parameters() const { return m_parameters; }
    // The parameter of a specification: one of parameterSpecs, or the `index`-th of adapterSpecs where there are
    // adapters.
    ShadowParameter* trainedParameter(const ParameterSpec& spec, std::size_t index);
    // The parameter of one of parameterSpecs.
    ShadowParameter* modelParameter(const ParameterSpec& spec);
    // An embedding that is the head too.
    bool isTied(const ShadowParameter& parameter) const { return m_config.tied && &parameter == &m_embedding; }
    void dropCasts();

private:
    struct Layer {
        ShadowNorm attentionNorm, mlpNorm;
        ShadowLinear q, k, v, out; // gpt2 and gpt_neox: q is the joint projection
        ShadowLinear first, second, gate;
        std::uint16_t attention = 0;
        std::uint16_t mlp = 0;
    };

    void make(ShadowParameter& parameter, std::int64_t elements, std::uint16_t module);
    void makeLinear(ShadowLinear& linear, std::int64_t in, std::int64_t out, bool bias, std::uint16_t module);
    void makeNorm(ShadowNorm& norm, std::int64_t layer, std::string_view name);
    void makeLayer(Layer& layer, std::int64_t index);
    void makeOutside();

    ShadowTensor embed(ShadowContext& context, const ShadowTensor& tokens);
    void makeTables(ShadowContext& context);
    ShadowTensor border(const ShadowTensor& x, std::function<void()> action);
    ShadowTensor enterUnit(std::size_t unit, const ShadowTensor& x);
    ShadowTensor leaveUnit(std::size_t unit, const ShadowTensor& x, bool keep);
    ShadowTensor unitLayer(ShadowContext& context, std::size_t index, const ShadowTensor& x, bool keep);
    ShadowTensor runLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x);
    ShadowTensor checkpointed(ShadowContext& context, std::size_t index, const ShadowTensor& x);
    ShadowTensor decoderLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x);
    ShadowTensor gpt2Layer(ShadowContext& context, Layer& layer, const ShadowTensor& x);
    ShadowTensor gptNeoxLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x);
    ShadowTensor llamaLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x);
    ShadowTensor separateAttention(ShadowContext& context, Layer& layer, ShadowTensor normed);
    ShadowTensor jointAttention(ShadowContext& context, Layer& layer, ShadowTensor normed);
    ShadowTensor neoxAttention(ShadowContext& context, Layer& layer, ShadowTensor normed);
    ShadowTensor gatedFeedForward(ShadowContext& context, Layer& layer, ShadowTensor normed);
    ShadowHeads headShape() const;
    ShadowLinear* linearNamed(const LinearShape& shape);
    ShadowNorm* normNamed(const std::string& last, std::int64_t layer);

    ShadowGraph& m_graph;
    ModelConfig m_config;
    ShadowType m_type;
    bool m_drawn;
    ShadowTensor m_nothing; // what placed parameters are views of at first; undefined: they have their own memory
    ShadowHooks* m_hooks = nullptr;
    std::int64_t m_largest = 0; // of the parameters made so far, in elements
    ShadowParameter m_embedding, m_positions, m_ownHead;
    ShadowLinear m_projectIn, m_projectOut;
    ShadowNorm m_finalNorm;
    std::deque<Layer> m_layers;
    std::deque<ShadowAdapter> m_adapters;
    std::vector<ShadowParameter*> m_parameters;
    std::uint16_t m_embeddingModule = 0;
    std::uint16_t m_headModule = 0;
};

} // namespace peakscope
