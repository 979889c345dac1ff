// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3 (Qwen team 2025), the dense models: Llama's layers with a root-mean-square norm of each head's queries and keys
// before they are turned, and a head width of its own.
#include "core/model/family.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    readRotaryKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    writeRotaryKeys(c, object);
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    if (!keys.has("head_dim"))
        c.headDim = 128;
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    reader.refuseTrue("mlp_bias");
    reader.refuseTrue("use_sliding_window"); // without it "sliding_window" is not read
    reader.refuseOtherLayerTypes(false);
    reader.readRope();
}

void tensors(TensorList& list, const ModelConfig& c)
{
    const std::int64_t queries = c.heads * c.headDim, keys = c.kvHeads * c.headDim;
    list.table("model.embed_tokens", c.vocab, c.hidden, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("model.layers", layer);
        list.linear("self_attn.q_proj", queries, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear("self_attn.k_proj", keys, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear("self_attn.v_proj", keys, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear("self_attn.o_proj", c.hidden, queries, c.outBias, ModuleKind::Attention);
        list.rmsNorm("self_attn.q_norm", c.headDim);
        list.rmsNorm("self_attn.k_norm", c.headDim);
        list.linear("mlp.gate_proj", c.ffn, c.hidden, false, ModuleKind::Mlp);
        list.linear("mlp.up_proj", c.ffn, c.hidden, false, ModuleKind::Mlp);
        list.linear("mlp.down_proj", c.hidden, c.ffn, false, ModuleKind::Mlp);
        list.rmsNorm("input_layernorm", c.hidden);
        list.rmsNorm("post_attention_layernorm", c.hidden);
    }
    list.leaveLayers();
    list.rmsNorm("model.norm", c.hidden);
    if (!c.tied)
        list.table("lm_head", c.vocab, c.hidden, ModuleKind::Head);
}

void operations(OperationList& list, const ModelConfig& c)
{
    list.module("model.embed_tokens", ModuleKind::Embedding);
    auto x = list.embedding("model.embed_tokens");
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("model.layers", layer);
        const auto normed = list.rmsNorm("input_layernorm", x);
        list.module("self_attn", ModuleKind::Attention);
        const auto queries = list.headNorm("self_attn.q_norm", list.linear("self_attn.q_proj", normed), c.heads);
        list.module("self_attn", ModuleKind::Attention);
        const auto q = list.rope(queries, c.heads);
        const auto keys = list.headNorm("self_attn.k_norm", list.linear("self_attn.k_proj", normed), c.kvHeads);
        list.module("self_attn", ModuleKind::Attention);
        const auto k = list.rope(keys, c.kvHeads);
        const auto v = list.linear("self_attn.v_proj", normed);
        x = list.sum(x, list.linear("self_attn.o_proj", list.attention(q, k, v)));
        const auto inner = list.rmsNorm("post_attention_layernorm", x);
        list.module("mlp", ModuleKind::Mlp);
        const auto gate = list.activation(list.linear("mlp.gate_proj", inner));
        const auto gated = list.product(gate, list.linear("mlp.up_proj", inner));
        x = list.sum(x, list.linear("mlp.down_proj", gated));
    }
    list.leaveLayers();
    list.head("lm_head", list.rmsNorm("model.norm", x));
}

} // namespace

FamilyDescription qwen3Family()
{
    FamilyDescription family{
        .name = "qwen3",
        .learnedPositions = false,
        .freeHeads = true,
        .gated = true,
        .prefixes = {"model."},
        .types = {{.type = "qwen3", .maxPositions = 32768, .kvHeads = 32, .normEps = 1e-6, .activation = "silu"}},
        .usualFfn = [](std::int64_t hidden) { return 3 * hidden; },
        .readKeys = readKeys,
        .writeKeys = writeKeys,
        .readCheckpoint = readCheckpoint,
        .tensors = tensors,
        .operations = operations};
    ModelConfig& c = family.defaults;
    c.tied = false;
    c.activation = Activation::Silu;
    c.normEps = 1e-6;
    c.ropeTheta = 1e6;
    c.linearBias = c.qkvBias = c.outBias = c.mlpBias = false;
    return family;
}

} // namespace peakscope
