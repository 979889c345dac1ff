// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3 (Qwen team 2025), the dense models: Llama's layers with a root-mean-square norm of each head's queries and keys
// before they are turned, and a head width of its own.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    readRotaryKeys(reader, base, c);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    writeRotaryKeys(c, object);
    writeWindowKeys(c, object);
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    if (!keys.has("head_dim"))
        c.headDim = 128;
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    reader.refuseTrue("mlp_bias");
    reader.readLateWindows();
    reader.readRope();
}

} // namespace

FamilyDescription qwen3Family()
{
    FamilyDescription family = llamaLayers("qwen3", "Qwen3");
    family.queryNorms = QueryNorms::OfHeads;
    family.types = {{.type = "qwen3", .maxPositions = 32768, .kvHeads = 32, .normEps = 1e-6, .activation = "silu"}};
    family.usualFfn = [](std::int64_t hidden) { return 3 * hidden; };
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.ropeTheta = 1e6;
    return family;
}

} // namespace peakscope
