// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX (Black et al. 2022; Pythia): rotary positions on part of each head, queries, keys and values of a head
// stored side by side, attention and feed-forward net in parallel or one after the other.
#include "core/model/family.h"

namespace peakscope {
namespace {

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

void tensors(TensorList& list, const ModelConfig& c)
{
    list.table("gpt_neox.embed_in", c.vocab, c.hidden, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("gpt_neox.layers", layer);
        list.layerNorm("input_layernorm", c.hidden);
        list.layerNorm("post_attention_layernorm", c.hidden);
        list.linear("attention.query_key_value", 3 * c.hidden, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear("attention.dense", c.hidden, c.hidden, c.outBias, ModuleKind::Attention);
        list.linear("mlp.dense_h_to_4h", c.ffn, c.hidden, true, ModuleKind::Mlp);
        list.linear("mlp.dense_4h_to_h", c.hidden, c.ffn, true, ModuleKind::Mlp);
    }
    list.leaveLayers();
    list.layerNorm("gpt_neox.final_layer_norm", c.hidden);
    if (!c.tied)
        list.table("embed_out", c.vocab, c.hidden, ModuleKind::Head);
}

void operations(OperationList& list, const ModelConfig& c)
{
    list.module("gpt_neox.embed_in", ModuleKind::Embedding);
    auto x = list.embedding("gpt_neox.embed_in");
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("gpt_neox.layers", layer);
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
        list.module("mlp", ModuleKind::Mlp);
        const auto answer = list.linear("mlp.dense_4h_to_h", list.activation(list.linear("mlp.dense_h_to_4h", inner)));
        const auto total = list.sum(answer, attended);
        x = c.parallelResidual ? list.sum(total, x) : total;
    }
    list.leaveLayers();
    list.head("embed_out", list.layerNorm("gpt_neox.final_layer_norm", x));
}

} // namespace

FamilyDescription gptNeoxFamily()
{
    FamilyDescription family{.name = "gpt_neox",
                             .learnedPositions = false,
                             .fused = "query_key_value",
                             .prefixes = {"gpt_neox."},
                             .types = {{.type = "gpt_neox", .maxPositions = 2048, .activation = "gelu"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint,
                             .tensors = tensors,
                             .operations = operations};
    family.defaults.tied = false;
    family.defaults.activation = Activation::Gelu;
    family.defaults.rotaryFraction = 0.25;
    return family;
}

} // namespace peakscope
