// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 3 (Gemma team 2025), the text model: Llama's layers with norms before and behind both parts, norms of each
// head's queries and keys, scaled embeddings, and windows in most layers, whose rotary positions have a base of their
// own.
#include "core/model/model_shape.h"
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

constexpr std::int64_t kUsualWindow = 4096;
constexpr std::int64_t kUsualScalar = 256;
constexpr double kUsualLocalTheta = 10000;

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    c.queryScalar = reader.integer("query_scalar", base.queryScalar, 1, kMostPositions);
    readRotaryKeys(reader, base, c);
    c.localRopeTheta = reader.number("local_rope_theta", base.localRopeTheta, 0, kMostNumber);
    c.logitCap = reader.number("logit_cap", base.logitCap, 0, kMostNumber);
    readWindowKeys(reader, base, c);
    if (c.localWindow == 0)
        reader.refuse("sliding_window", "0 is no window, which family gemma3 needs");
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    object["query_scalar"] = c.queryScalar;
    writeRotaryKeys(c, object);
    object["local_rope_theta"] = c.localRopeTheta;
    object["logit_cap"] = c.logitCap;
    writeWindowKeys(c, object);
    object["attention_layers"] = layerKinds(c.localLayers, kLocalWords); // not all are local if nothing is said
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().activation = "hidden_activation";
    reader.keys().shape.localRopeTheta = "rope_local_base_freq";
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
    reader.refuseTrue("use_bidirectional_attention");
    c.logitCap = reader.softCap("final_logit_softcapping", 0);
    const std::int64_t period = keys.integer("sliding_window_pattern", 6, 1, kMostLayers);
    std::vector<bool> usual;
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        usual.push_back((layer + 1) % period != 0);
    reader.readWindowsByLayer(kUsualWindow, usual);
    reader.readRopeByKind("rope_local_base_freq", kUsualLocalTheta);
}

} // namespace

FamilyDescription gemma3Family()
{
    FamilyDescription family = gemmaLayers("gemma3", "Gemma 3", true);
    family.queryNorms = QueryNorms::OfHeads;
    const CheckpointType text{.type = "gemma3_text",
                              .maxPositions = 131072,
                              .kvHeads = 4,
                              .normEps = 1e-6,
                              .tied = true,
                              .activation = "gelu_pytorch_tanh",
                              .ropeTheta = 1e6,
                              .heads = 8,
                              .vocab = 262208};
    CheckpointType images = text;
    images.type = "gemma3";
    family.types = {text, images};
    family.textHalf = images.type;
    family.prefixes = {"model.", "language_model.", "model."}; // the text model is one of several parts there
    family.foreign = {"vision_tower.", "multi_modal_projector."};
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = checkpointKeys;
    family.readCheckpoint = readCheckpoint;
    ModelConfig& c = family.defaults;
    c.ropeTheta = 1e6;
    c.localRopeTheta = kUsualLocalTheta;
    c.queryScalar = kUsualScalar;
    c.localWindow = kUsualWindow;
    c.localLayers = {true, true, true, true, true, false};
    return family;
}

} // namespace peakscope
