// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark model of the project's first documents: learned positions, no causal mask, no biases in attention, no
// final norm, a head of its own.
#include "core/model/family.h"

namespace peakscope {
namespace {

void tensors(TensorList& list, const ModelConfig& c)
{
    list.table("embed_tokens", c.vocab, c.hidden, ModuleKind::Embedding);
    list.table("embed_positions", c.maxPositions, c.hidden, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("layers", layer);
        list.layerNorm("ln1", c.hidden);
        for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"})
            list.linear(projection, c.hidden, c.hidden, false, ModuleKind::Attention);
        list.layerNorm("ln2", c.hidden);
        list.linear("fc1", c.ffn, c.hidden, true, ModuleKind::Mlp);
        list.linear("fc2", c.hidden, c.ffn, true, ModuleKind::Mlp);
    }
    list.leaveLayers();
    if (!c.tied)
        list.table("head", c.vocab, c.hidden, ModuleKind::Head);
}

void operations(OperationList& list, const ModelConfig& c)
{
    list.module("embed_tokens", ModuleKind::Embedding);
    auto x = list.positions("embed_positions", list.embedding("embed_tokens"));
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("layers", layer);
        const auto normed = list.layerNorm("ln1", x);
        list.module("self_attn", ModuleKind::Attention);
        const auto q = list.linear("q_proj", normed), k = list.linear("k_proj", normed),
                   v = list.linear("v_proj", normed);
        x = list.sum(x, list.linear("out_proj", list.attention(q, k, v)));
        const auto inner = list.layerNorm("ln2", x);
        list.module("mlp", ModuleKind::Mlp);
        x = list.sum(x, list.linear("fc2", list.activation(list.linear("fc1", inner))));
    }
    list.leaveLayers();
    list.head("head", x);
}

} // namespace

FamilyDescription plainFamily()
{
    FamilyDescription family{.name = "plain", .causal = false, .tensors = tensors, .operations = operations};
    ModelConfig& c = family.defaults;
    c.tied = false;
    c.finalNorm = false;
    c.qkvBias = c.outBias = false;
    return family;
}

} // namespace peakscope
