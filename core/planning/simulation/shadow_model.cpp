// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/shadow_model.h"

#include <algorithm>

namespace peakscope {
namespace {

// Elements that the engine draws at one time (core/engine/model.cpp).
constexpr std::int64_t kRandomPiece = std::int64_t{1} << 20;

// Where a family's modules stand in its names.
struct ModuleNames {
    std::string_view embedding;
    std::string_view layers; // before the layer's number
    std::string_view attention;
    std::string_view mlp;
    std::string_view firstNorm;
    std::string_view secondNorm;
    std::string_view finalNorm;
    std::string_view head;
};

ModuleNames moduleNames(Family family)
{
    switch (family) {
    case Family::Opt:
        return {"model.decoder.embed_tokens",
                "model.decoder.layers.",
                ".self_attn",
                ".mlp",
                ".self_attn_layer_norm",
                ".final_layer_norm",
                "model.decoder.final_layer_norm",
                "lm_head"};
    case Family::Gpt2:
        return {"transformer.wte", "transformer.h.", ".attn", ".mlp", ".ln_1", ".ln_2", "transformer.ln_f", "lm_head"};
    case Family::GptNeox:
        return {"gpt_neox.embed_in",         "gpt_neox.layers.",          ".attention", ".mlp", ".input_layernorm",
                ".post_attention_layernorm", "gpt_neox.final_layer_norm", "embed_out"};
    case Family::Llama:
        return {"model.embed_tokens",        "model.layers.", ".self_attn", ".mlp", ".input_layernorm",
                ".post_attention_layernorm", "model.norm",    "lm_head"};
    case Family::Plain:
        break;
    }
    return {"embed_tokens", "layers.", ".self_attn", ".mlp", ".ln1", ".ln2", "", "head"};
}

} // namespace

ShadowModel::ShadowModel(ShadowGraph& graph, const ModelConfig& config, ShadowType type, bool drawn, bool placed)
    : m_graph(graph), m_config(config), m_type(type), m_drawn(drawn)
{
    if (placed)
        m_nothing = graph.fresh(0, type);
    const ModuleNames names = moduleNames(config.family);
    ShadowMemory& memory = graph.memory();
    m_embeddingModule = memory.addModule({names.embedding, -1, "", ModuleKind::Embedding});
    m_headModule = memory.addModule({names.head, -1, "", ModuleKind::Head});
    makeOutside();
    for (std::int64_t i = 0; i < config.layers; ++i)
        makeLayer(m_layers.emplace_back(), i);
    if (config.finalNorm && config.family != Family::Plain)
        makeNorm(m_finalNorm, -1, names.finalNorm);
    if (!config.tied)
        make(m_ownHead, config.vocab * config.embedDim, m_headModule);
}

void ShadowModel::make(ShadowParameter& parameter, std::int64_t elements, std::uint16_t module)
{
    parameter.module = module;
    m_parameters.push_back(&parameter);
    if (m_nothing.defined()) {
        parameter.tensor = m_nothing.viewOf(elements);
        m_graph.makeLeaf(parameter);
        return;
    }
    parameter.tensor = m_graph.fresh(elements, m_type);
    // A smaller one's draw takes no more than was there before.
    if (m_drawn && elements >= m_largest)
        m_graph.fresh(std::min(kRandomPiece, elements), ShadowType::Float32);
    m_largest = std::max(m_largest, elements);
    m_graph.memory().tag(parameter.tensor.storage(), Component::Parameters, module);
    m_graph.makeLeaf(parameter);
}

void ShadowModel::setMemory(ShadowParameter& parameter, const ShadowTensor& memory)
{
    ShadowTensor view = memory.viewOf(parameter.tensor.elements());
    view.edge = parameter.tensor.edge;
    parameter.tensor = std::move(view);
}

void ShadowModel::makeLinear(ShadowLinear& linear, std::int64_t in, std::int64_t out, bool bias, std::uint16_t module)
{
    linear.in = in;
    linear.out = out;
    make(linear.weight, in * out, module);
    if (bias)
        make(linear.bias, out, module);
}

void ShadowModel::makeNorm(ShadowNorm& norm, std::int64_t layer, std::string_view name)
{
    const std::string_view prefix = layer < 0 ? name : moduleNames(m_config.family).layers;
    const std::string_view suffix = layer < 0 ? std::string_view() : name;
    norm.module = m_graph.memory().addModule({prefix, layer, suffix, ModuleKind::Norm});
    norm.width = m_config.hidden;
    norm.rootMeanSquare = m_config.family == Family::Llama;
    if (m_config.family == Family::Opt && !m_config.affineNorm)
        return;
    make(norm.weight, norm.width, norm.module);
    if (!norm.rootMeanSquare)
        make(norm.bias, norm.width, norm.module);
}

void ShadowModel::makeOutside()
{
    make(m_embedding, m_config.vocab * m_config.embedDim, m_embeddingModule);
    if (m_config.learnedPositions())
        make(m_positions, (m_config.maxPositions + m_config.positionOffset()) * m_config.hidden, m_embeddingModule);
    if (m_config.embedDim != m_config.hidden) {
        makeLinear(m_projectOut, m_config.hidden, m_config.embedDim, false, m_headModule);
        makeLinear(m_projectIn, m_config.embedDim, m_config.hidden, false, m_embeddingModule);
    }
}

void ShadowModel::makeLayer(Layer& layer, std::int64_t index)
{
    const ModuleNames names = moduleNames(m_config.family);
    const ModelConfig& c = m_config;
    ShadowMemory& memory = m_graph.memory();
    layer.attention = memory.addModule({names.layers, index, names.attention, ModuleKind::Attention});
    layer.mlp = memory.addModule({names.layers, index, names.mlp, ModuleKind::Mlp});
    makeNorm(layer.attentionNorm, index, names.firstNorm);
    const bool joint = c.family == Family::Gpt2 || c.family == Family::GptNeox;
    const bool opt = c.family == Family::Opt;
    const bool plain = c.family == Family::Plain;
    const bool qkvBias = c.family == Family::Gpt2 || (opt ? c.linearBias : !plain && c.qkvBias);
    const bool outBias = c.family == Family::Gpt2 || (opt ? c.linearBias : !plain && c.outBias);
    const bool mlpBias = opt ? c.linearBias : c.family == Family::Llama ? c.mlpBias : true;
    const std::int64_t queryWidth = c.heads * c.headDim;
    const std::int64_t keyWidth = c.kvHeads * c.headDim;
    if (joint) {
        makeLinear(layer.q, c.hidden, 3 * c.hidden, qkvBias, layer.attention);
    } else {
        makeLinear(layer.q, c.hidden, queryWidth, qkvBias, layer.attention);
        makeLinear(layer.k, c.hidden, keyWidth, qkvBias, layer.attention);
        makeLinear(layer.v, c.hidden, keyWidth, qkvBias, layer.attention);
    }
    makeLinear(layer.out, queryWidth, c.hidden, outBias, layer.attention);
    makeNorm(layer.mlpNorm, index, names.secondNorm);
    if (c.family == Family::Llama)
        makeLinear(layer.gate, c.hidden, c.ffn, mlpBias, layer.mlp);
    makeLinear(layer.first, c.hidden, c.ffn, mlpBias, layer.mlp);
    makeLinear(layer.second, c.ffn, c.hidden, mlpBias, layer.mlp);
    for (ShadowLinear* linear : {&layer.q, &layer.out, &layer.first, &layer.second})
        linear->transposed = c.family == Family::Gpt2;
}

void ShadowModel::dropCasts()
{
    for (ShadowParameter* parameter : m_parameters)
        parameter->cast.reset();
}

ShadowHeads ShadowModel::headShape() const
{
    ShadowHeads heads;
    heads.heads = m_config.heads;
    heads.kvHeads = m_config.family == Family::Llama ? m_config.kvHeads : m_config.heads;
    heads.width = m_config.headDim;
    heads.ownScale = m_config.family == Family::Gpt2 && (!m_config.scaleAttention || m_config.scaleByInverseLayer);
    return heads;
}

} // namespace peakscope
