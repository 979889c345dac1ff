// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-OSS (OpenAI 2025): mixtures whose experts have biases and a clamped gate, attention with a sink for each head,
// and windows in every other layer.
#include "core/model/model_shape.h"
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

using Value = OperationList::Value;

constexpr AttentionParts kAttention{.out = "o_proj"};

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    c.swigluAlpha = reader.number("swiglu_alpha", base.swigluAlpha, 0, kMostNumber);
    c.swigluLimit = reader.number("swiglu_limit", base.swigluLimit, 0, kMostNumber);
    readExpertKeys(reader, base, c);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    object["swiglu_alpha"] = c.swigluAlpha;
    object["swiglu_limit"] = c.swigluLimit;
    writeExpertKeys(c, object);
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
    if (c.localWindow > 0)
        object["attention_layers"] = layerKinds(c.localLayers, kLocalWords); // not all are local if nothing is said
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().shape.experts = reader.keyOr("num_local_experts", "num_experts");
    reader.keys().shape.expertsPerToken = "num_experts_per_tok";
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    if (!keys.has("head_dim"))
        c.headDim = 64;
    reader.readExperts(128, 4);
    c.swigluAlpha = keys.number("swiglu_alpha", c.swigluAlpha, 0, kMostNumber);
    c.swigluLimit = keys.number("swiglu_limit", c.swigluLimit, 0, kMostNumber);
    c.qkvBias = c.outBias = keys.boolean("attention_bias", true);
    std::vector<bool> usual;
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        usual.push_back(layer % 2 == 0);
    reader.readWindowsByLayer(128, usual);
    reader.readRope();
    if (!keys.has("rope_parameters") && !keys.has("rope_scaling")) {
        c.ropeScaling.kind = RopeScaling::Kind::Yarn;
        c.ropeScaling.factor = 32;
        c.ropeScaling.originalMaxPositions = 4096;
        c.ropeScaling.truncate = false;
    }
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    list.tensor("self_attn.sinks", {c.heads}, ModuleKind::Attention, Initializer::Normal);
    attentionTensors(list, c, kAttention);
    expertTensors(list, c);
    list.rmsNorm("input_layernorm", c.hidden);
    list.rmsNorm("post_attention_layernorm", c.hidden);
}

Value layer(OperationList& list, const ModelConfig& c, Value x)
{
    const AttentionForm form{.scale = {}, .sinks = "self_attn.sinks"};
    x = list.sum(x, attention(list, c, kAttention, list.rmsNorm("input_layernorm", x), form));
    return list.sum(x, mixture(list, c, list.rmsNorm("post_attention_layernorm", x)));
}

} // namespace

FamilyDescription gptOssFamily()
{
    FamilyDescription family = llamaLayers("gpt_oss", "GPT-OSS");
    family.layerTensors = layerTensors;
    family.layer = layer;
    family.byAutograd = true;
    family.experts = {.router = "mlp.router",
                      .prefix = "mlp.experts",
                      .gate = "gate_up_proj",
                      .up = {},
                      .down = "down_proj",
                      .fused = true};
    family.types = {{.type = "gpt_oss",
                     .maxPositions = 131072,
                     .kvHeads = 8,
                     .normEps = 1e-5,
                     .activation = "silu",
                     .ropeTheta = 150000,
                     .heads = 64,
                     .vocab = 201088}};
    family.usualFfn = [](std::int64_t hidden) { return hidden; };
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = checkpointKeys;
    family.readCheckpoint = readCheckpoint;
    ModelConfig& c = family.defaults;
    c.qkvBias = c.outBias = true;
    c.experts = 8;
    c.ropeTheta = 150000;
    c.localWindow = 128;
    c.localLayers = {true, false};
    return family;
}

} // namespace peakscope
