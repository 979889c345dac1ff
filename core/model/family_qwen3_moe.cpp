// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3's mixtures of experts (Qwen team 2025): Qwen3's layers, of which some or all have many narrow experts.
#include "core/model/model_shape.h"
#include "core/model/shared_layers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    c.normExperts = reader.boolean("norm_experts", base.normExperts);
    readExpertKeys(reader, base, c);
    readLayerKinds(reader, "dense_layers", kMixtureWords, c.denseLayers);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    object["norm_experts"] = c.normExperts;
    writeExpertKeys(c, object);
    if (!c.denseLayers.empty())
        object["dense_layers"] = layerKinds(c.denseLayers, kMixtureWords);
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().shape.experts = reader.keyOr("num_experts", "num_local_experts");
    reader.keys().shape.expertsPerToken = "num_experts_per_tok";
    reader.keys().shape.expertFfn = "moe_intermediate_size";
}

// Every so-manieth layer is a mixture, but for those that a list names.
void readDenseLayers(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    const std::int64_t step = keys.integer("decoder_sparse_step", 1, 1, kMostLayers);
    const nlohmann::json* listed = keys.find("mlp_only_layers");
    const nlohmann::json named = listed != nullptr && listed->is_array() ? *listed : nlohmann::json::array();
    std::vector<bool> dense;
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        dense.push_back((layer + 1) % step != 0 || std::find(named.begin(), named.end(), layer) != named.end());
    if (std::find(dense.begin(), dense.end(), true) != dense.end())
        c.denseLayers = shortestPeriod(dense);
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    reader.readExperts(128, 8);
    reader.takes(reader.keys().shape.expertFfn);
    c.expertFfn = keys.integer(reader.keys().shape.expertFfn, 768, 1, kMostFeedForward);
    reader.takes("norm_topk_prob");
    c.normExperts = keys.boolean("norm_topk_prob", false);
    readDenseLayers(reader);
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    reader.refuseTrue("mlp_bias");
    if (keys.boolean("use_sliding_window", false))
        c.localWindow = keys.integer("sliding_window", 4096, 1, kMostPositions);
    reader.refuseOtherLayerTypes(true);
    reader.readRope();
}

} // namespace

FamilyDescription qwen3MoeFamily()
{
    FamilyDescription family = llamaLayers("qwen3_moe", "Qwen3 MoE");
    family.queryNorms = QueryNorms::OfHeads;
    family.experts = {
        .router = "mlp.gate", .prefix = "mlp.experts", .gate = "gate_proj", .up = "up_proj", .down = "down_proj"};
    family.types = {{.type = "qwen3_moe",
                     .maxPositions = 32768,
                     .kvHeads = 4,
                     .normEps = 1e-6,
                     .activation = "silu",
                     .heads = 32,
                     .vocab = 151936}};
    family.usualFfn = [](std::int64_t hidden) { return 3 * hidden; };
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = checkpointKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.experts = 8;
    family.defaults.ropeTheta = 1e6;
    return family;
}

} // namespace peakscope
