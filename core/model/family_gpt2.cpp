// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2 (Radford et al. 2019): learned positions, one linear layer for queries, keys and values, weights stored
// [in, out].
#include "core/model/family.h"

#include <cmath>

namespace peakscope {
namespace {

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

void tensors(TensorList& list, const ModelConfig& c)
{
    list.table("transformer.wte", c.vocab, c.hidden, ModuleKind::Embedding);
    list.table("transformer.wpe", c.maxPositions, c.hidden, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("transformer.h", layer);
        list.layerNorm("ln_1", c.hidden);
        list.conv1d("attn.c_attn", c.hidden, 3 * c.hidden, ModuleKind::Attention);
        list.conv1d("attn.c_proj", c.hidden, c.hidden, ModuleKind::Attention);
        list.layerNorm("ln_2", c.hidden);
        list.conv1d("mlp.c_fc", c.hidden, c.ffn, ModuleKind::Mlp);
        list.conv1d("mlp.c_proj", c.ffn, c.hidden, ModuleKind::Mlp);
    }
    list.leaveLayers();
    list.layerNorm("transformer.ln_f", c.hidden);
    if (!c.tied)
        list.table("lm_head", c.vocab, c.hidden, ModuleKind::Head);
}

void operations(OperationList& list, const ModelConfig& c)
{
    list.module("transformer.wte", ModuleKind::Embedding);
    auto x = list.positions("transformer.wpe", list.embedding("transformer.wte"));
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer("transformer.h", layer);
        const auto normed = list.layerNorm("ln_1", x);
        list.module("attn", ModuleKind::Attention);
        const auto parts = list.split(list.linear("attn.c_attn", normed), 1, 3);
        double scale = c.scaleAttention ? 1 / std::sqrt(static_cast<double>(c.headDim)) : 1;
        if (c.scaleByInverseLayer)
            scale /= static_cast<double>(layer + 1);
        x = list.sum(x, list.linear("attn.c_proj", list.attention(parts[0], parts[1], parts[2], {.scale = scale})));
        const auto inner = list.layerNorm("ln_2", x);
        list.module("mlp", ModuleKind::Mlp);
        x = list.sum(x, list.linear("mlp.c_proj", list.activation(list.linear("mlp.c_fc", inner))));
    }
    list.leaveLayers();
    list.head("lm_head", list.layerNorm("transformer.ln_f", x));
}

} // namespace

FamilyDescription gpt2Family()
{
    FamilyDescription family{.name = "gpt2",
                             .fused = "c_attn",
                             .prefixes = {"transformer."},
                             .types = {{.type = "gpt2", .tied = true, .activation = "gelu_new"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint,
                             .tensors = tensors,
                             .operations = operations};
    family.defaults.tied = true;
    family.defaults.activation = Activation::GeluTanh;
    return family;
}

} // namespace peakscope
