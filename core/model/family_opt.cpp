// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OPT (Zhang et al. 2022): learned positions with an offset of two, norms before or (350M) after each residual sum, and
// for 350M a token embedding narrower than the layers.
#include "core/model/family.h"

namespace peakscope {
namespace {

const std::string kDecoder = "model.decoder.";
const std::string kLayers = kDecoder + "layers";

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.preNorm = reader.boolean("pre_norm", base.preNorm);
    c.finalNorm = reader.boolean("final_norm", base.preNorm == c.preNorm ? base.finalNorm : c.preNorm);
    c.affineNorm = reader.boolean("affine_norm", base.affineNorm);
    c.linearBias = reader.boolean("linear_bias", base.linearBias);
    c.qkvBias = c.outBias = c.mlpBias = c.linearBias;
    c.embedDim = reader.integer("embed_dim", base.embedDim == base.hidden ? c.hidden : base.embedDim, 1, kMostWidth);
    if (c.finalNorm && !c.preNorm)
        reader.refuse("final_norm", "true needs pre_norm true");
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["pre_norm"] = c.preNorm;
    object["final_norm"] = c.finalNorm;
    object["affine_norm"] = c.affineNorm;
    object["linear_bias"] = c.linearBias;
    object["embed_dim"] = c.embedDim;
}

void checkpointKeys(CheckpointReader& reader)
{
    CheckpointKeys& keys = reader.keys();
    keys.shape.ffn = "ffn_dim";
    keys.shape.embedDim = "word_embed_proj_dim";
    keys.shape.normEps = ""; // its layer norms have no key for it
    keys.activation = "activation_function";
    keys.initStd = "init_std";
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    c.preNorm = keys.boolean("do_layer_norm_before", true);
    c.finalNorm = c.preNorm && !keys.boolean("_remove_final_layer_norm", false);
    c.affineNorm = keys.boolean("layer_norm_elementwise_affine", true);
    c.linearBias = keys.boolean("enable_bias", true);
    c.qkvBias = c.outBias = c.mlpBias = c.linearBias;
    c.embedDim = keys.integer("word_embed_proj_dim", c.hidden, 1, kMostWidth);
}

void tensors(TensorList& list, const ModelConfig& c)
{
    list.table(kDecoder + "embed_tokens", c.vocab, c.embedDim, ModuleKind::Embedding);
    list.table(kDecoder + "embed_positions", c.maxPositions + c.positionOffset(), c.hidden, ModuleKind::Embedding);
    if (c.embedDim != c.hidden) {
        list.linear(kDecoder + "project_out", c.embedDim, c.hidden, false, ModuleKind::Head);
        list.linear(kDecoder + "project_in", c.hidden, c.embedDim, false, ModuleKind::Embedding);
    }
    if (c.finalNorm && c.affineNorm)
        list.layerNorm(kDecoder + "final_layer_norm", c.hidden);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer(kLayers, layer);
        for (const char* projection : {"k_proj", "v_proj", "q_proj", "out_proj"})
            list.linear(std::string("self_attn.") + projection, c.hidden, c.hidden, c.linearBias,
                        ModuleKind::Attention);
        if (c.affineNorm)
            list.layerNorm("self_attn_layer_norm", c.hidden);
        list.linear("fc1", c.ffn, c.hidden, c.linearBias, ModuleKind::Mlp);
        list.linear("fc2", c.hidden, c.ffn, c.linearBias, ModuleKind::Mlp);
        if (c.affineNorm)
            list.layerNorm("final_layer_norm", c.hidden);
    }
    list.leaveLayers();
    if (!c.tied)
        list.table("lm_head", c.vocab, c.embedDim, ModuleKind::Head);
}

void operations(OperationList& list, const ModelConfig& c)
{
    const bool projected = c.embedDim != c.hidden;
    list.module(kDecoder + "embed_tokens", ModuleKind::Embedding);
    auto x = list.embedding(kDecoder + "embed_tokens");
    if (projected)
        x = list.linear(kDecoder + "project_in", x);
    x = list.positions(kDecoder + "embed_positions", x);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.enterLayer(kLayers, layer);
        const auto normed = c.preNorm ? list.layerNorm("self_attn_layer_norm", x) : x;
        list.module("self_attn", ModuleKind::Attention);
        const auto q = list.linear("self_attn.q_proj", normed);
        const auto k = list.linear("self_attn.k_proj", normed);
        const auto v = list.linear("self_attn.v_proj", normed);
        x = list.sum(x, list.linear("self_attn.out_proj", list.attention(q, k, v)));
        if (!c.preNorm)
            x = list.layerNorm("self_attn_layer_norm", x);
        const auto inner = c.preNorm ? list.layerNorm("final_layer_norm", x) : x;
        list.module("mlp", ModuleKind::Mlp);
        x = list.sum(x, list.linear("fc2", list.activation(list.linear("fc1", inner))));
        if (!c.preNorm)
            x = list.layerNorm("final_layer_norm", x);
    }
    list.leaveLayers();
    if (c.finalNorm)
        x = list.layerNorm(kDecoder + "final_layer_norm", x);
    list.module("lm_head", ModuleKind::Head);
    if (projected)
        x = list.linear(kDecoder + "project_out", x);
    list.head("lm_head", x);
}

} // namespace

FamilyDescription optFamily()
{
    FamilyDescription family{.name = "opt",
                             .positionOffset = 2,
                             .freeEmbedding = true,
                             .prefixes = {"model.", "decoder."},
                             .types = {{.type = "opt", .tied = true, .activation = "relu"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint,
                             .tensors = tensors,
                             .operations = operations};
    family.defaults.tied = true;
    return family;
}

} // namespace peakscope
