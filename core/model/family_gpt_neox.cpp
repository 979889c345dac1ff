// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX (Black et al. 2022; Pythia): rotary positions on part of each head, queries, keys and values of a head
// stored side by side, attention and feed-forward net in parallel or one after the other.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

constexpr FeedForwardParts kFeedForward{.up = "mlp.dense_h_to_4h", .down = "mlp.dense_4h_to_h"};

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.parallelResidual = reader.boolean("parallel_residual", base.parallelResidual);
    c.rotaryFraction = reader.number("rotary_fraction", base.rotaryFraction, 0, 1);
    c.qkvBias = reader.boolean("qkv_bias", base.qkvBias);
    c.outBias = reader.boolean("out_bias", base.outBias);
    readRotaryKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["parallel_residual"] = c.parallelResidual;
    object["rotary_fraction"] = c.rotaryFraction;
    object["qkv_bias"] = c.qkvBias;
    object["out_bias"] = c.outBias;
    writeRotaryKeys(c, object);
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().shape.normEps = "layer_norm_eps";
    reader.keys().shape.ropeTheta = "rotary_emb_base";
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    c.parallelResidual = reader.reader().boolean("use_parallel_residual", true);
    c.qkvBias = c.outBias = reader.reader().boolean("attention_bias", true);
    reader.refuseOtherLayerTypes(false);
    reader.readRope(0.25);
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    list.layerNorm("input_layernorm", c.hidden);
    list.layerNorm("post_attention_layernorm", c.hidden);
    list.linear("attention.query_key_value", 3 * c.hidden, c.hidden, c.qkvBias, ModuleKind::Attention);
    list.linear("attention.dense", c.hidden, c.hidden, c.outBias, ModuleKind::Attention);
    feedForwardTensors(list, c, kFeedForward);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    const auto normed = list.layerNorm("input_layernorm", x);
    list.module("attention", ModuleKind::Attention);
    const auto parts = list.split(list.linear("attention.query_key_value", normed), c.heads, 3);
    const auto q = list.rope(parts[0], c.heads), k = list.rope(parts[1], c.heads);
    // A copy, or the values' view would keep the unrotated queries and keys for backward too.
    const auto v = list.copy(parts[2]);
    auto attended = list.linear("attention.dense", list.attention(q, k, v));
    if (!c.parallelResidual)
        attended = list.sum(attended, x);
    const auto inner = list.layerNorm("post_attention_layernorm", c.parallelResidual ? x : attended);
    const auto total = list.sum(feedForward(list, kFeedForward, inner), attended);
    return c.parallelResidual ? list.sum(total, x) : total;
}

} // namespace

FamilyDescription gptNeoxFamily()
{
    FamilyDescription family{.name = "gpt_neox",
                             .title = "GPT-NeoX",
                             .frame = {.tokens = "gpt_neox.embed_in",
                                       .layers = "gpt_neox.layers",
                                       .finalNorm = "gpt_neox.final_layer_norm",
                                       .head = "embed_out"},
                             .layerTensors = layerTensors,
                             .layer = layer,
                             .fused = "query_key_value",
                             .prefixes = {"gpt_neox."},
                             .types = {{.type = "gpt_neox", .maxPositions = 2048, .activation = "gelu"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint};
    family.defaults.tied = false;
    family.defaults.activation = Activation::Gelu;
    family.defaults.rotaryFraction = 0.25;
    return family;
}

} // namespace peakscope
