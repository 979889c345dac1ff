// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark model of the project's first documents: learned positions, no causal mask, no biases in attention, no
// final norm, a head of its own.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

constexpr AttentionParts kAttention{.prefix = ""};
constexpr FeedForwardParts kFeedForward{.up = "fc1", .down = "fc2"};

void layerTensors(TensorList& list, const ModelConfig& c)
{
    list.layerNorm("ln1", c.hidden);
    attentionTensors(list, c, kAttention);
    list.layerNorm("ln2", c.hidden);
    feedForwardTensors(list, c, kFeedForward);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    x = list.sum(x, attention(list, c, kAttention, list.layerNorm("ln1", x)));
    return list.sum(x, feedForward(list, kFeedForward, list.layerNorm("ln2", x)));
}

} // namespace

FamilyDescription plainFamily()
{
    FamilyDescription family{
        .name = "plain",
        .title = "Plain",
        .frame = {.tokens = "embed_tokens", .positions = "embed_positions", .layers = "layers", .head = "head"},
        .layerTensors = layerTensors,
        .layer = layer,
        .causal = false};
    ModelConfig& c = family.defaults;
    c.tied = false;
    c.finalNorm = false;
    c.qkvBias = c.outBias = false;
    return family;
}

} // namespace peakscope
