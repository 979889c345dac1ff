// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Phi-3 (Microsoft 2024): Llama's layers with one linear layer for queries, keys and values, one for the gate and what
// it is multiplied with, and rotary positions on part of each head.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.rotaryFraction = reader.number("rotary_fraction", base.rotaryFraction, 0, 1);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["rotary_fraction"] = c.rotaryFraction;
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().shape.rotaryFraction = "partial_rotary_factor";
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    c.localWindow = reader.reader().integer("sliding_window", 0, 1, kMostPositions);
    reader.refuseTrue("attention_bias");
    reader.refuseTrue("mlp_bias");
    reader.refuseOtherLayerTypes(true); // its window is all layers', whatever they say
    reader.readRope(1.0);
    if (c.ropeScaling.kind != RopeScaling::Kind::None && c.ropeScaling.kind != RopeScaling::Kind::LongRope)
        reader.reader().refuse(reader.keys().shape.ropeScaling, "scaled rotary positions other than longrope are not "
                                                                "supported for model type phi3");
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    const std::int64_t queries = c.heads * c.headDim, keys = c.kvHeads * c.headDim;
    list.linear("self_attn.o_proj", c.hidden, queries, false, ModuleKind::Attention);
    list.linear("self_attn.qkv_proj", queries + 2 * keys, c.hidden, false, ModuleKind::Attention);
    list.linear("mlp.gate_up_proj", 2 * c.ffn, c.hidden, false, ModuleKind::Mlp);
    list.linear("mlp.down_proj", c.hidden, c.ffn, false, ModuleKind::Mlp);
    list.rmsNorm("input_layernorm", c.hidden);
    list.rmsNorm("post_attention_layernorm", c.hidden);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    const auto normed = list.rmsNorm("input_layernorm", x);
    list.module("self_attn", ModuleKind::Attention);
    const std::int64_t queries = c.heads * c.headDim, keys = c.kvHeads * c.headDim;
    const auto parts = list.cut(list.linear("self_attn.qkv_proj", normed), {queries, keys, keys});
    const auto q = list.rope(parts[0], c.heads), k = list.rope(parts[1], c.kvHeads);
    // A copy, or the values' view would keep the unrotated queries and keys for backward too.
    const auto v = list.copy(parts[2]);
    x = list.sum(x, list.linear("self_attn.o_proj", list.attention(q, k, v)));
    const auto inner = list.rmsNorm("post_attention_layernorm", x);
    list.module("mlp", ModuleKind::Mlp);
    const auto both = list.cut(list.linear("mlp.gate_up_proj", inner), {c.ffn, c.ffn});
    return list.sum(x, list.linear("mlp.down_proj", list.product(list.activation(both[0]), both[1])));
}

} // namespace

FamilyDescription phi3Family()
{
    FamilyDescription family = llamaLayers("phi3", "Phi-3");
    family.layerTensors = layerTensors;
    family.layer = layer;
    family.fused = "qkv_proj";
    family.types = {{.type = "phi3", .maxPositions = 4096, .activation = "silu", .originalMaxPositions = 4096}};
    family.usualFfn = gatedFfn;
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = checkpointKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.normEps = 1e-5;
    return family;
}

} // namespace peakscope
