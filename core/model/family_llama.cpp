// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Llama (Touvron et al. 2023), and with its configuration Mistral and Qwen2: RMSNorm, rotary positions, grouped key
// heads, gated feed-forward net.
#include "core/model/shared_layers.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = reader.boolean("qkv_bias", base.qkvBias);
    c.outBias = reader.boolean("out_bias", base.outBias);
    readRotaryKeys(reader, base, c);
    c.mlpBias = reader.boolean("mlp_bias", base.mlpBias);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["qkv_bias"] = c.qkvBias;
    object["out_bias"] = c.outBias;
    writeRotaryKeys(c, object);
    object["mlp_bias"] = c.mlpBias;
    writeWindowKeys(c, object);
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    const bool llama = reader.type().type == "llama";
    if (llama) {
        c.qkvBias = c.outBias = reader.reader().boolean("attention_bias", false);
        c.mlpBias = reader.reader().boolean("mlp_bias", false);
        reader.refuseTrue("use_sliding_window");
        reader.refuseSet("sliding_window");
        reader.refuseOtherLayerTypes(false);
    } else {
        c.qkvBias = reader.type().type == "qwen2";
        if (!c.qkvBias)
            reader.refuseTrue("attention_bias");
        reader.refuseTrue("mlp_bias");
        if (c.qkvBias) {
            reader.readLateWindows();
        } else {
            // Of all layers, whatever "layer_types" says. A missing key is the library's 4096, null is no window.
            const std::int64_t fallback = reader.document().contains("sliding_window") ? 0 : 4096;
            c.localWindow = reader.reader().integer("sliding_window", fallback, 1, kMostPositions);
            reader.refuseOtherLayerTypes(true);
        }
    }
    reader.readRope();
}

} // namespace

FamilyDescription llamaFamily()
{
    constexpr std::string_view kSilu = "silu";
    FamilyDescription family = llamaLayers("llama", "Llama");
    family.types = {{.type = "llama", .maxPositions = 2048, .normEps = 1e-6, .activation = kSilu},
                    {.type = "mistral", .maxPositions = 131072, .kvHeads = 8, .normEps = 1e-6, .activation = kSilu},
                    {.type = "qwen2", .maxPositions = 32768, .kvHeads = 32, .normEps = 1e-6, .activation = kSilu}};
    family.usualFfn = gatedFfn;
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.readCheckpoint = readCheckpoint;
    return family;
}

} // namespace peakscope
