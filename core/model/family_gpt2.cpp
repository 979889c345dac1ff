// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2 (Radford et al. 2019): learned positions, one linear layer for queries, keys and values, weights stored
// [in, out].
#include "core/model/shared_layers.h"

#include <cmath>

namespace peakscope {
namespace {

constexpr FeedForwardParts kFeedForward{.up = "mlp.c_fc", .down = "mlp.c_proj", .transposed = true};

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.scaleAttention = reader.boolean("scale_attention", base.scaleAttention);
    c.scaleByInverseLayer = reader.boolean("scale_by_inverse_layer", base.scaleByInverseLayer);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["scale_attention"] = c.scaleAttention;
    object["scale_by_inverse_layer"] = c.scaleByInverseLayer;
}

void checkpointKeys(CheckpointReader& reader)
{
    CheckpointKeys& keys = reader.keys();
    keys.shape.hidden = reader.keyOr("n_embd", "hidden_size");
    keys.shape.layers = reader.keyOr("n_layer", "num_hidden_layers");
    keys.shape.heads = reader.keyOr("n_head", "num_attention_heads");
    keys.shape.maxPositions = reader.keyOr("n_positions", "max_position_embeddings");
    keys.shape.ffn = "n_inner";
    keys.shape.normEps = "layer_norm_epsilon";
    keys.activation = "activation_function";
    keys.ffnRequired = false;
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    c.scaleAttention = reader.reader().boolean("scale_attn_weights", true);
    c.scaleByInverseLayer = reader.reader().boolean("scale_attn_by_inverse_layer_idx", false);
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    list.layerNorm("ln_1", c.hidden);
    list.linear("attn.c_attn", 3 * c.hidden, c.hidden, true, ModuleKind::Attention, true);
    list.linear("attn.c_proj", c.hidden, c.hidden, true, ModuleKind::Attention, true);
    list.layerNorm("ln_2", c.hidden);
    feedForwardTensors(list, c, kFeedForward);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    const auto normed = list.layerNorm("ln_1", x);
    list.module("attn", ModuleKind::Attention);
    const auto parts = list.split(list.linear("attn.c_attn", normed), 1, 3);
    double scale = c.scaleAttention ? 1 / std::sqrt(static_cast<double>(c.headDim)) : 1;
    if (c.scaleByInverseLayer)
        scale /= static_cast<double>(list.layer() + 1);
    x = list.sum(x, list.linear("attn.c_proj", list.attention(parts[0], parts[1], parts[2], {.scale = scale})));
    return list.sum(x, feedForward(list, kFeedForward, list.layerNorm("ln_2", x)));
}

} // namespace

FamilyDescription gpt2Family()
{
    FamilyDescription family{.name = "gpt2",
                             .title = "GPT-2",
                             .frame = {.tokens = "transformer.wte",
                                       .positions = "transformer.wpe",
                                       .layers = "transformer.h",
                                       .finalNorm = "transformer.ln_f"},
                             .layerTensors = layerTensors,
                             .layer = layer,
                             .fused = "c_attn",
                             .prefixes = {"transformer."},
                             .types = {{.type = "gpt2", .tied = true, .activation = "gelu_new"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint};
    family.defaults.tied = true;
    family.defaults.activation = Activation::GeluTanh;
    return family;
}

} // namespace peakscope
