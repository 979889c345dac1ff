// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 2 (Gemma team 2024): Gemma's layers with norms before and behind both parts, windows in every other layer, and
// soft caps of attention's scores and of the logits.
#include "core/model/model_shape.h"
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

constexpr std::int64_t kUsualWindow = 4096;
constexpr std::int64_t kUsualScalar = 256;
constexpr double kUsualScoreCap = 50;
constexpr double kUsualLogitCap = 30;

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    c.queryScalar = reader.integer("query_scalar", base.queryScalar, 1, kMostPositions);
    c.scoreCap = reader.number("score_cap", base.scoreCap, 0, kMostNumber);
    c.logitCap = reader.number("logit_cap", base.logitCap, 0, kMostNumber);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    object["query_scalar"] = c.queryScalar;
    object["score_cap"] = c.scoreCap;
    object["logit_cap"] = c.logitCap;
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
    if (c.localWindow > 0)
        object["attention_layers"] = layerKinds(c.localLayers, kLocalWords); // not all are local if nothing is said
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    if (!keys.has("head_dim"))
        c.headDim = 256;
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    reader.takes("query_pre_attn_scalar");
    c.queryScalar = keys.integer("query_pre_attn_scalar", kUsualScalar, 1, kMostPositions);
    c.scoreCap = reader.softCap("attn_logit_softcapping", kUsualScoreCap);
    c.logitCap = reader.softCap("final_logit_softcapping", kUsualLogitCap);
    reader.refuseTrue("use_bidirectional_attention");
    std::vector<bool> usual;
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        usual.push_back(layer % 2 == 0);
    reader.readWindowsByLayer(kUsualWindow, usual);
    reader.readRope();
}

} // namespace

FamilyDescription gemma2Family()
{
    FamilyDescription family = gemmaLayers("gemma2", "Gemma 2", true);
    family.types = {{.type = "gemma2",
                     .maxPositions = 8192,
                     .kvHeads = 4,
                     .normEps = 1e-6,
                     .tied = true,
                     .activation = "gelu_pytorch_tanh",
                     .heads = 8,
                     .vocab = 256000}};
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = [](CheckpointReader& reader) { reader.keys().activation = "hidden_activation"; };
    family.readCheckpoint = readCheckpoint;
    ModelConfig& c = family.defaults;
    c.queryScalar = kUsualScalar;
    c.scoreCap = kUsualScoreCap;
    c.logitCap = kUsualLogitCap;
    c.localWindow = kUsualWindow;
    c.localLayers = {true, false};
    return family;
}

} // namespace peakscope
