// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

using Value = OperationList::Value;

constexpr FeedForwardParts kGated{.gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj"};

AttentionParts llamaAttention(const ModelConfig& config)
{
    return {.out = "o_proj", .norms = describe(config.family).queryNorms};
}

void llamaTensors(TensorList& list, const ModelConfig& config)
{
    attentionTensors(list, config, llamaAttention(config));
    if (config.isMixture(list.layer()))
        expertTensors(list, config);
    else
        feedForwardTensors(list, config, kGated);
    const LayerNorms& norms = describe(config.family).norms;
    for (const std::string_view name :
         {norms.beforeAttention, norms.afterAttention, norms.beforeFeedForward, norms.afterFeedForward}) {
        if (!name.empty())
            list.rmsNorm(name, config.hidden);
    }
}

Value llamaLayer(OperationList& list, const ModelConfig& config, Value x)
{
    const LayerNorms& norms = describe(config.family).norms;
    const auto normed = [&list](std::string_view name, Value value) {
        return name.empty() ? value : list.rmsNorm(name, value);
    };
    const Value attended = attention(list, config, llamaAttention(config), normed(norms.beforeAttention, x));
    x = list.sum(x, normed(norms.afterAttention, attended));
    const Value inner = normed(norms.beforeFeedForward, x);
    const Value fed = config.isMixture(list.layer()) ? mixture(list, config, inner) : feedForward(list, kGated, inner);
    return list.sum(x, normed(norms.afterFeedForward, fed));
}

} // namespace

void attentionTensors(TensorList& list, const ModelConfig& config, const AttentionParts& parts)
{
    const std::string prefix(parts.prefix);
    const std::int64_t queries = config.heads * config.headDim, keys = config.kvHeads * config.headDim;
    for (const char projection : parts.order)
        list.linear(prefix + projection + "_proj", projection == 'q' ? queries : keys, config.hidden, config.qkvBias,
                    ModuleKind::Attention);
    list.linear(prefix + std::string(parts.out), config.hidden, queries, config.outBias, ModuleKind::Attention);
    if (parts.norms != QueryNorms::None) {
        const bool all = parts.norms == QueryNorms::OfAll;
        list.rmsNorm(prefix + "q_norm", all ? queries : config.headDim);
        list.rmsNorm(prefix + "k_norm", all ? keys : config.headDim);
    }
}

Value attention(OperationList& list, const ModelConfig& config, const AttentionParts& parts, Value normed,
                const AttentionForm& form)
{
    const std::string prefix(parts.prefix);
    list.module(parts.module, ModuleKind::Attention);
    const auto turned = [&](char projection, std::int64_t heads) {
        Value value = list.linear(prefix + projection + "_proj", normed);
        if (parts.norms != QueryNorms::None) {
            const std::int64_t groups = parts.norms == QueryNorms::OfHeads ? heads : 1;
            value = list.headNorm(prefix + projection + "_norm", value, groups);
            list.module(parts.module, ModuleKind::Attention);
        }
        return config.learnedPositions() ? value : list.rope(value, heads);
    };
    const Value q = turned('q', config.heads);
    const Value k = turned('k', config.kvHeads);
    const Value v = list.linear(prefix + "v_proj", normed);
    return list.linear(prefix + std::string(parts.out), list.attention(q, k, v, form));
}

void feedForwardTensors(TensorList& list, const ModelConfig& config, const FeedForwardParts& parts)
{
    const auto linear = [&](std::string_view name, std::int64_t out, std::int64_t in) {
        list.linear(name, out, in, config.mlpBias, ModuleKind::Mlp, parts.transposed);
    };
    if (!parts.gate.empty())
        linear(parts.gate, config.ffn, config.hidden);
    linear(parts.up, config.ffn, config.hidden);
    linear(parts.down, config.hidden, config.ffn);
}

Value feedForward(OperationList& list, const FeedForwardParts& parts, Value normed)
{
    list.module("mlp", ModuleKind::Mlp);
    Value inner = list.activation(list.linear(parts.gate.empty() ? parts.up : parts.gate, normed));
    if (!parts.gate.empty())
        inner = list.product(inner, list.linear(parts.up, normed));
    return list.linear(parts.down, inner);
}

void expertTensors(TensorList& list, const ModelConfig& config)
{
    const ExpertParts& parts = describe(config.family).experts;
    const std::int64_t width = config.expertWidth();
    list.linear(parts.router, config.experts, config.hidden, parts.fused, ModuleKind::Mlp);
    if (parts.fused) {
        const auto stack = [&](std::string_view part, std::int64_t in, std::int64_t out) {
            const std::string name = std::string(parts.prefix) + "." + std::string(part);
            list.tensor(name, {config.experts, in, out}, ModuleKind::Mlp, Initializer::Normal);
            list.tensor(name + "_bias", {config.experts, out}, ModuleKind::Mlp, Initializer::Zeros);
        };
        stack(parts.gate, config.hidden, 2 * width);
        stack(parts.down, width, config.hidden);
        return;
    }
    for (std::int64_t i = 0; i < config.experts; ++i) {
        for (const std::string_view part : {parts.gate, parts.up})
            list.linear(parts.nameOf(i, part), width, config.hidden, false, ModuleKind::Mlp);
        list.linear(parts.nameOf(i, parts.down), config.hidden, width, false, ModuleKind::Mlp);
    }
}

Value mixture(OperationList& list, const ModelConfig& config, Value normed)
{
    list.module("experts", ModuleKind::Mlp);
    return list.experts(describe(config.family).experts, normed);
}

std::int64_t gatedFfn(std::int64_t hidden)
{
    return (8 * hidden + 191) / 192 * 64;
}

FamilyDescription llamaLayers(std::string_view name, std::string_view title)
{
    FamilyDescription family{
        .name = name,
        .title = title,
        .frame = {.tokens = "model.embed_tokens",
                  .layers = "model.layers",
                  .finalNorm = "model.norm",
                  .centered = false},
        .layerTensors = llamaTensors,
        .layer = llamaLayer,
        .freeHeads = true,
        .gated = true,
        .norms = {.beforeAttention = "input_layernorm", .beforeFeedForward = "post_attention_layernorm"},
        .prefixes = {"model."}};
    ModelConfig& c = family.defaults;
    c.tied = false;
    c.activation = Activation::Silu;
    c.normEps = 1e-6;
    c.qkvBias = c.outBias = c.mlpBias = false;
    c.localLayers = {true}; // where there is a window
    return family;
}

FamilyDescription gemmaLayers(std::string_view name, std::string_view title, bool normsAfter)
{
    FamilyDescription family = llamaLayers(name, title);
    family.shiftedNorms = true;
    family.scaledEmbeddings = true;
    if (normsAfter)
        family.norms = {.beforeAttention = "input_layernorm",
                        .afterAttention = "post_attention_layernorm",
                        .beforeFeedForward = "pre_feedforward_layernorm",
                        .afterFeedForward = "post_feedforward_layernorm"};
    family.defaults.tied = true;
    family.defaults.activation = Activation::GeluTanh;
    return family;
}

} // namespace peakscope
