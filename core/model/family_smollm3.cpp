// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SmolLM3 (Hugging Face 2025): Llama's layers, of which some have no rotary positions.
#include "core/model/shared_layers.h"

#include "core/base/json/json_access.h"

namespace peakscope {
namespace {

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.qkvBias = c.outBias = reader.boolean("attention_bias", base.qkvBias);
    c.mlpBias = reader.boolean("mlp_bias", base.mlpBias);
    readRotaryKeys(reader, base, c);
    readLayerKinds(reader, "rotary_layers", kRotaryWords, c.unturnedLayers);
    readWindowKeys(reader, base, c);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["attention_bias"] = c.qkvBias;
    object["mlp_bias"] = c.mlpBias;
    writeRotaryKeys(c, object);
    object["rotary_layers"] = layerKinds(c.unturnedLayers, kRotaryWords);
    writeWindowKeys(c, object);
}

// "no_rope_layers" says 1 where a layer turns, for each layer; else each so-many-th does not.
std::vector<bool> unturned(CheckpointReader& reader)
{
    ObjectReader& keys = reader.reader();
    const auto layers = static_cast<std::size_t>(reader.config().layers);
    const std::int64_t interval = keys.integer("no_rope_layer_interval", 4, 1, kMostLayers);
    std::vector<bool> kinds;
    const nlohmann::json* list = keys.find("no_rope_layers");
    for (std::size_t layer = 0; layer < layers; ++layer) {
        if (list == nullptr) {
            kinds.push_back((static_cast<std::int64_t>(layer) + 1) % interval == 0);
            continue;
        }
        const auto turns = list->is_array() && layer < list->size() ? jsonInteger((*list)[layer]) : std::nullopt;
        if (!turns) {
            keys.refuse("no_rope_layers", "needs an integer for each of " + std::to_string(layers) + " layers");
            break;
        }
        kinds.push_back(*turns == 0);
    }
    return kinds;
}

void readCheckpoint(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    ObjectReader& keys = reader.reader();
    c.qkvBias = c.outBias = keys.boolean("attention_bias", false);
    c.mlpBias = keys.boolean("mlp_bias", false);
    reader.takes("no_rope_layers");
    reader.takes("no_rope_layer_interval");
    const std::vector<bool> kinds = unturned(reader);
    c.unturnedLayers = shortestPeriod(kinds);
    const std::int64_t window = keys.integer("sliding_window", 0, 1, kMostPositions);
    // Where layers are not named, those that do not turn have windows, if any. Named ones have them in any case.
    const bool named = keys.has("layer_types");
    reader.readLayerTypes(named || keys.boolean("use_sliding_window", false) ? window : 0, kinds);
    reader.readRope();
}

} // namespace

FamilyDescription smolLm3Family()
{
    FamilyDescription family = llamaLayers("smollm3", "SmolLM3");
    family.types = {{.type = "smollm3",
                     .maxPositions = 32768,
                     .kvHeads = 4,
                     .normEps = 1e-6,
                     .tied = true,
                     .activation = "silu",
                     .ropeTheta = 2e6}};
    family.readKeys = readKeys;
    family.writeKeys = writeKeys;
    family.readCheckpoint = readCheckpoint;
    family.defaults.tied = true;
    family.defaults.ropeTheta = 2e6;
    family.defaults.unturnedLayers = {false, false, false, true};
    return family;
}

} // namespace peakscope
