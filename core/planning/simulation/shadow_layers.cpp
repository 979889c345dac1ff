// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The forward passes of the families, statement by statement as in core/engine/model_*.cpp and layers.cpp: what a
// handle there keeps alive, one here does too.
#include "core/planning/simulation/shadow_model.h"
#include "core/planning/simulation/shadow_sample_functions.h"

namespace peakscope {

ShadowTensor ShadowModel::hidden(ShadowContext& context, const ShadowTensor& tokens, bool checkpointing)
{
    context.causal = m_config.family != Family::Plain;
    if (context.causal && context.attention == AttentionKind::Math)
        context.mask = shadowCausalMask(context);
    if (m_config.family == Family::GptNeox || m_config.family == Family::Llama)
        makeTables(context);
    if (m_hooks)
        m_hooks->enterForward(0);
    ShadowTensor x = leaveUnit(0, embed(context, tokens), false);
    for (std::size_t index = 0; index < m_layers.size(); ++index)
        x = checkpointing ? checkpointed(context, index, x) : unitLayer(context, index, x, false);
    x = enterUnit(m_layers.size() + 1, x);
    if (m_finalNorm.width > 0)
        x = shadowNorm(context, m_finalNorm, x);
    if (m_projectOut.in == 0)
        return x;
    const ShadowModuleScope scope(m_graph.memory(), m_headModule);
    return shadowLinear(context, m_projectOut, x);
}

ShadowTensor ShadowModel::loss(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels,
                               bool denominator)
{
    const ShadowModuleScope scope(m_graph.memory(), m_headModule);
    ShadowParameter& head = m_config.tied ? m_embedding : m_ownHead;
    return shadowLoss(context, hidden, head, m_config.embedDim, m_config.vocab, labels, denominator);
}

ShadowTensor ShadowModel::sampleLosses(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels)
{
    const ShadowModuleScope scope(m_graph.memory(), m_headModule);
    ShadowParameter& head = m_config.tied ? m_embedding : m_ownHead;
    return shadowSampleLosses(context, hidden, head, m_config.embedDim, m_config.vocab, labels);
}

void ShadowModel::makeTables(ShadowContext& context)
{
    const std::int64_t cells = context.sequence * (m_config.rotatedWidth() / 2);
    const ShadowType stored = wideType(m_type);
    const ShadowTensor angles = context.fresh(cells, ShadowType::Float64);
    const auto table = [&] {
        const ShadowTensor turned = context.fresh(cells, ShadowType::Float64);
        ShadowTensor scaled = context.fresh(cells, ShadowType::Float64);
        return stored == ShadowType::Float64 ? scaled : context.fresh(cells, stored);
    };
    context.cos = table();
    context.sin = table();
}

ShadowTensor ShadowModel::embed(ShadowContext& context, const ShadowTensor& tokens)
{
    const ShadowModuleScope scope(m_graph.memory(), m_embeddingModule);
    ShadowTensor x = shadowEmbedding(context, m_embedding, m_config.embedDim, tokens);
    if (m_projectIn.in > 0)
        x = shadowLinear(context, m_projectIn, x);
    if (!m_config.learnedPositions())
        return x;
    return shadowAddPositions(context, m_positions, m_config.maxPositions + m_config.positionOffset(), m_config.hidden,
                              x);
}

// The engine's whenBackwardPasses: a view whose node runs `action` before the gradient passes on.
ShadowTensor ShadowModel::border(const ShadowTensor& x, std::function<void()> action)
{
    ShadowTensor out = x;
    m_graph.record(out, {&x}, {}, [action = std::move(action)](ShadowBackward& call) {
        action();
        call.out[0] = std::move(call.in[0]);
    });
    return out;
}

ShadowTensor ShadowModel::enterUnit(std::size_t unit, const ShadowTensor& x)
{
    if (!m_hooks)
        return x;
    m_hooks->enterForward(unit);
    return border(x, [this, unit] { m_hooks->leaveBackward(unit); });
}

ShadowTensor ShadowModel::leaveUnit(std::size_t unit, const ShadowTensor& x, bool keep)
{
    if (!m_hooks)
        return x;
    if (!keep)
        m_hooks->leaveForward(unit);
    return border(x, [this, unit] { m_hooks->enterBackward(unit); });
}

ShadowTensor ShadowModel::unitLayer(ShadowContext& context, std::size_t index, const ShadowTensor& x, bool keep)
{
    return leaveUnit(index + 1, runLayer(context, m_layers[index], enterUnit(index + 1, x)), keep);
}

ShadowTensor ShadowModel::runLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x)
{
    switch (m_config.family) {
    case Family::Gpt2:
        return gpt2Layer(context, layer, x);
    case Family::GptNeox:
        return gptNeoxLayer(context, layer, x);
    case Family::Llama:
        return llamaLayer(context, layer, x);
    case Family::Opt:
    case Family::Plain:
        break;
    }
    return decoderLayer(context, layer, x);
}

ShadowTensor ShadowModel::checkpointed(ShadowContext& context, std::size_t index, const ShadowTensor& x)
{
    ShadowGraph& graph = m_graph;
    const bool cache = context.castCache;
    ShadowTensor out;
    {
        graph.setGradientMode(false);
        context.castCache = false;
        out = unitLayer(context, index, x, false);
        context.castCache = cache;
        graph.setGradientMode(true);
    }
    // Recorded even where the input needs no gradient: the layer's parameters may.
    const bool wantsInput = x.needsGradient();
    if (!wantsInput)
        graph.hold(x.detached()); // it became a leaf of its own
    auto backward = [this, &context, index, &graph, wantsInput](ShadowBackward& call) {
        ShadowTensor caught;
        ShadowTensor recomputed;
        {
            const std::uint32_t work = graph.memory().openWork(ShadowWork::Recompute);
            const bool former = context.castCache;
            graph.setGradientMode(true);
            context.castCache = false;
            ShadowTensor input = call.saved[0];
            ShadowTensor* target = &caught;
            if (wantsInput)
                graph.recordAlways(input, {}, {}, [target](ShadowBackward& inner) { *target = inner.in[0]; });
            recomputed = unitLayer(context, index, input, true);
            context.castCache = former;
            graph.setGradientMode(false);
            graph.memory().closeWork(work);
        }
        graph.backward(recomputed, call.in[0]);
        call.out[0] = std::move(caught);
    };
    graph.recordAlways(out, {&x}, {x}, std::move(backward));
    return out;
}

// OPT and the plain family (core/engine/layers.cpp, DecoderLayer).
ShadowTensor ShadowModel::decoderLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x)
{
    const bool before = m_config.family == Family::Plain || m_config.preNorm;
    ShadowTensor sum;
    {
        ShadowTensor normed = before ? shadowNorm(context, layer.attentionNorm, x) : x;
        const ShadowModuleScope scope(m_graph.memory(), layer.attention);
        sum = shadowAdd(context, x, separateAttention(context, layer, std::move(normed)));
    }
    if (!before)
        sum = shadowNorm(context, layer.attentionNorm, sum);
    {
        ShadowTensor normed = before ? shadowNorm(context, layer.mlpNorm, sum) : sum;
        const ShadowModuleScope scope(m_graph.memory(), layer.mlp);
        ShadowTensor inner = shadowLinear(context, layer.first, normed);
        normed.reset();
        inner = shadowActivation(context, m_config.activation, inner);
        inner = shadowLinear(context, layer.second, inner);
        sum = shadowAdd(context, sum, inner);
    }
    return before ? sum : shadowNorm(context, layer.mlpNorm, sum);
}

ShadowTensor ShadowModel::separateAttention(ShadowContext& context, Layer& layer, ShadowTensor normed)
{
    const bool rotary = m_config.family == Family::Llama;
    const auto turned = [&](const ShadowTensor& x) {
        return rotary ? shadowRotate(context, x, m_config.headDim, m_config.rotatedWidth()) : x;
    };
    ShadowTensor q = turned(shadowLinear(context, layer.q, normed));
    ShadowTensor k = turned(shadowLinear(context, layer.k, normed));
    ShadowTensor v = shadowLinear(context, layer.v, normed);
    normed.reset();
    const ShadowTensor mixed = shadowAttention(context, std::move(q), std::move(k), std::move(v), headShape());
    return shadowLinear(context, layer.out, mixed);
}

ShadowTensor ShadowModel::gpt2Layer(ShadowContext& context, Layer& layer, const ShadowTensor& x)
{
    ShadowTensor sum;
    {
        ShadowTensor normed = shadowNorm(context, layer.attentionNorm, x);
        const ShadowModuleScope scope(m_graph.memory(), layer.attention);
        sum = shadowAdd(context, jointAttention(context, layer, std::move(normed)), x);
    }
    ShadowTensor inner = shadowNorm(context, layer.mlpNorm, sum);
    const ShadowModuleScope scope(m_graph.memory(), layer.mlp);
    inner = shadowLinear(context, layer.first, inner);
    inner = shadowActivation(context, m_config.activation, inner);
    return shadowAdd(context, sum, shadowLinear(context, layer.second, inner));
}

ShadowTensor ShadowModel::jointAttention(ShadowContext& context, Layer& layer, ShadowTensor normed)
{
    const ShadowTensor qkv = shadowLinear(context, layer.q, normed);
    normed.reset();
    const std::vector<ShadowTensor> parts = shadowSplit(context, qkv, 3);
    ShadowHeads heads = headShape();
    heads.packed = true;
    return shadowLinear(context, layer.out, shadowAttention(context, parts[0], parts[1], parts[2], heads));
}

ShadowTensor ShadowModel::gptNeoxLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x)
{
    const bool parallel = m_config.parallelResidual;
    ShadowTensor attended;
    {
        ShadowTensor normed = shadowNorm(context, layer.attentionNorm, x);
        const ShadowModuleScope scope(m_graph.memory(), layer.attention);
        attended = neoxAttention(context, layer, std::move(normed));
        if (!parallel)
            attended = shadowAdd(context, attended, x);
    }
    ShadowTensor inner = shadowNorm(context, layer.mlpNorm, parallel ? x : attended);
    const ShadowModuleScope scope(m_graph.memory(), layer.mlp);
    inner = shadowLinear(context, layer.first, inner);
    inner = shadowActivation(context, m_config.activation, inner);
    const ShadowTensor sum = shadowAdd(context, shadowLinear(context, layer.second, inner), attended);
    return parallel ? shadowAdd(context, sum, x) : sum;
}

ShadowTensor ShadowModel::neoxAttention(ShadowContext& context, Layer& layer, ShadowTensor normed)
{
    ShadowTensor q, k, v;
    {
        const ShadowTensor qkv = shadowLinear(context, layer.q, normed);
        normed.reset();
        const std::vector<ShadowTensor> parts = shadowSplit(context, qkv, 3);
        q = shadowRotate(context, parts[0], m_config.headDim, m_config.rotatedWidth());
        k = shadowRotate(context, parts[1], m_config.headDim, m_config.rotatedWidth());
        v = shadowContiguous(context, parts[2]);
    }
    return shadowLinear(context, layer.out,
                        shadowAttention(context, std::move(q), std::move(k), std::move(v), headShape()));
}

ShadowTensor ShadowModel::llamaLayer(ShadowContext& context, Layer& layer, const ShadowTensor& x)
{
    ShadowTensor sum;
    {
        ShadowTensor normed = shadowNorm(context, layer.attentionNorm, x);
        const ShadowModuleScope scope(m_graph.memory(), layer.attention);
        sum = shadowAdd(context, x, separateAttention(context, layer, std::move(normed)));
    }
    ShadowTensor normed = shadowNorm(context, layer.mlpNorm, sum);
    const ShadowModuleScope scope(m_graph.memory(), layer.mlp);
    return shadowAdd(context, sum, gatedFeedForward(context, layer, std::move(normed)));
}

ShadowTensor ShadowModel::gatedFeedForward(ShadowContext& context, Layer& layer, ShadowTensor normed)
{
    ShadowTensor inner = shadowActivation(context, m_config.activation, shadowLinear(context, layer.gate, normed));
    inner = shadowMultiply(context, inner, shadowLinear(context, layer.first, normed));
    normed.reset();
    return shadowLinear(context, layer.second, inner);
}

} // namespace peakscope
