// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OPT (Zhang et al. 2022): learned positions with an offset of two, norms before or (350M) after each residual sum, and
// for 350M a token embedding narrower than the layers.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

constexpr AttentionParts kAttention{.order = "kvq"};
constexpr FeedForwardParts kFeedForward{.up = "fc1", .down = "fc2"};

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.preNorm = reader.boolean("pre_norm", base.preNorm);
    c.finalNorm = reader.boolean("final_norm", base.preNorm == c.preNorm ? base.finalNorm : c.preNorm);
    c.affineNorm = reader.boolean("affine_norm", base.affineNorm);
    c.qkvBias = c.outBias = c.mlpBias = reader.boolean("linear_bias", base.qkvBias);
    c.embedDim = reader.integer("embed_dim", base.embedDim == base.hidden ? c.hidden : base.embedDim, 1, kMostWidth);
    if (c.finalNorm && !c.preNorm)
        reader.refuse("final_norm", "true needs pre_norm true");
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["pre_norm"] = c.preNorm;
    object["final_norm"] = c.finalNorm;
    object["affine_norm"] = c.affineNorm;
    object["linear_bias"] = c.qkvBias;
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
    c.qkvBias = c.outBias = c.mlpBias = keys.boolean("enable_bias", true);
    c.embedDim = keys.integer("word_embed_proj_dim", c.hidden, 1, kMostWidth);
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    attentionTensors(list, c, kAttention);
    list.layerNorm("self_attn_layer_norm", c.hidden);
    feedForwardTensors(list, c, kFeedForward);
    list.layerNorm("final_layer_norm", c.hidden);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    const auto normed = c.preNorm ? list.layerNorm("self_attn_layer_norm", x) : x;
    x = list.sum(x, attention(list, c, kAttention, normed));
    if (!c.preNorm)
        x = list.layerNorm("self_attn_layer_norm", x);
    const auto inner = c.preNorm ? list.layerNorm("final_layer_norm", x) : x;
    x = list.sum(x, feedForward(list, kFeedForward, inner));
    return c.preNorm ? x : list.layerNorm("final_layer_norm", x);
}

} // namespace

FamilyDescription optFamily()
{
    FamilyDescription family{.name = "opt",
                             .title = "OPT",
                             .frame = {.tokens = "model.decoder.embed_tokens",
                                       .positions = "model.decoder.embed_positions",
                                       .positionOffset = 2,
                                       .projectIn = "model.decoder.project_in",
                                       .projectOut = "model.decoder.project_out",
                                       .layers = "model.decoder.layers",
                                       .finalNorm = "model.decoder.final_layer_norm",
                                       .normFirst = true},
                             .layerTensors = layerTensors,
                             .layer = layer,
                             .prefixes = {"model.", "decoder."},
                             .types = {{.type = "opt", .tied = true, .activation = "relu"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint};
    family.defaults.tied = true;
    return family;
}

} // namespace peakscope
