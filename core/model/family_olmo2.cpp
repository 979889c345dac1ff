// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OLMo 2 (Team OLMo 2024): Llama's layers with norms behind attention and feed-forward net instead of before them, and
// a root-mean-square norm of all queries and of all keys before heads are told apart.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    readRotaryKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    writeRotaryKeys(c, object);
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    c.qkvBias = c.outBias = reader.reader().boolean("attention_bias", false);
    reader.refuseTrue("mlp_bias");
    reader.refuseSet("sliding_window");
    reader.refuseOtherLayerTypes(false);
    reader.readRope();
}

} // namespace

FamilyDescription olmo2Family()
{
    FamilyDescription family = llamaLayers("olmo2", "OLMo 2");
    family.queryNorms = QueryNorms::OfAll;
    family.norms = {.afterAttention = "post_attention_layernorm", .afterFeedForward = "post_feedforward_layernorm"};
    family.types = {{.type = "olmo2", .maxPositions = 2048, .activation = "silu"}};
    family.usualFfn = gatedFfn;
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.normEps = 1e-5;
    return family;
}

} // namespace peakscope
