// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtral (Jiang et al. 2024): Mistral's layers, each with a mixture of experts in the place of the feed-forward net.
#include "core/model/model_shape.h"
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    readExpertKeys(reader, base, c);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    writeExpertKeys(c, object);
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
}

void checkpointKeys(CheckpointReader& reader)
{
    reader.keys().shape.experts = reader.keyOr("num_local_experts", "num_experts");
    reader.keys().shape.expertsPerToken = "num_experts_per_tok";
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    reader.readExperts(8, 2);
    c.localWindow = reader.reader().integer("sliding_window", 0, 1, kMostPositions);
    reader.refuseTrue("attention_bias");
    reader.refuseTrue("mlp_bias");
    reader.refuseOtherLayerTypes(true); // its window is all layers', whatever they say
    reader.readRope();
}

} // namespace

FamilyDescription mixtralFamily()
{
    FamilyDescription family = llamaLayers("mixtral", "Mixtral");
    family.experts = {.router = "block_sparse_moe.gate",
                      .prefix = "block_sparse_moe.experts",
                      .gate = "w1",
                      .up = "w3",
                      .down = "w2",
                      .wideWeights = true};
    family.types = {{.type = "mixtral",
                     .maxPositions = 131072,
                     .kvHeads = 8,
                     .normEps = 1e-5,
                     .activation = "silu",
                     .ropeTheta = 1e6,
                     .heads = 32,
                     .vocab = 32000}};
    family.usualFfn = [](std::int64_t hidden) { return 7 * hidden / 2; };
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.checkpointKeys = checkpointKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.experts = 8;
    family.defaults.ropeTheta = 1e6;
    return family;
}

} // namespace peakscope
