// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma (Gemma team 2024), the first: Llama's layers with gains of 1 + weight, scaled embeddings, and heads that are
// wider than their share.
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
    ObjectReader& keys = reader.reader();
    if (!keys.has("head_dim"))
        c.headDim = 256;
    if (c.activation == Activation::Gelu) // what the first release says, and the library reads so
        c.activation = Activation::GeluTanh;
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    reader.refuseTrue("use_bidirectional_attention");
    reader.refuseSet("sliding_window");
    reader.refuseOtherLayerTypes(false);
    reader.readRope();
}

} // namespace

FamilyDescription gemmaFamily()
{
    FamilyDescription family = gemmaLayers("gemma", "Gemma", false);
    family.types = {{.type = "gemma",
                     .maxPositions = 8192,
                     .kvHeads = 16,
                     .normEps = 1e-6,
                     .tied = true,
                     .activation = "gelu_pytorch_tanh",
                     .heads = 16,
                     .vocab = 256000}};
    family.usualFfn = [](std::int64_t hidden) { return 8 * hidden; };
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.readCheckpoint = readCheckpoint;
    return family;
}

} // namespace peakscope
