// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-Neo (Black et al. 2021): learned positions, scores that are not scaled, layers that look at all earlier positions
// and layers that look back a window only.
#include "core/model/shared_layers.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"

namespace peakscope {
namespace {

constexpr AttentionParts kAttention{.module = "attn", .prefix = "attn.attention.", .order = "kvq"};
constexpr FeedForwardParts kFeedForward{.up = "mlp.c_fc", .down = "mlp.c_proj"};

void readKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& c)
{
    c.localWindow = reader.integer("window_size", base.localWindow, 1, kMostPositions);
    readLayerKinds(reader, "attention_layers", kLocalWords, c.localLayers);
}

void writeKeys(const ModelConfig& c, nlohmann::json& object)
{
    object["window_size"] = c.localWindow;
    object["attention_layers"] = layerKinds(c.localLayers, kLocalWords);
}

void checkpointKeys(CheckpointReader& reader)
{
    CheckpointKeys& keys = reader.keys();
    keys.shape.layers = reader.keyOr("num_layers", "num_hidden_layers");
    keys.shape.heads = reader.keyOr("num_heads", "num_attention_heads");
    keys.shape.normEps = "layer_norm_epsilon";
    keys.activation = "activation_function";
    keys.ffnRequired = false;
}

// [[["global", "local"], 12]]: the kinds in turn, so often. The library derives "attention_layers" from it.
void readAttentionTypes(CheckpointReader& reader)
{
    ModelConfig& c = reader.config();
    const nlohmann::json* types = reader.reader().find("attention_types");
    const auto refuse = [&](const std::string& why) { reader.reader().refuse("attention_types", why); };
    if (types == nullptr)
        return;
    c.localLayers.clear();
    if (!types->is_array())
        return refuse(shortText(*types) + " is not a list");
    for (const nlohmann::json& item : *types) {
        const auto times = item.is_array() && item.size() == 2 ? jsonInteger(item[1]) : std::nullopt;
        if (!times || !item[0].is_array())
            return refuse(shortText(item) + " is not a list of kinds and how often they come");
        for (std::int64_t i = 0; i < *times && c.localLayers.size() <= static_cast<std::size_t>(kMostLayers); ++i) {
            for (const nlohmann::json& kind : item[0]) {
                if (kind != "global" && kind != "local")
                    return refuse(shortText(kind) + " is not one of global and local");
                c.localLayers.push_back(kind == "local");
            }
        }
    }
    if (c.localLayers.size() != static_cast<std::size_t>(c.layers))
        refuse(std::to_string(c.localLayers.size()) + " kinds for " + std::to_string(c.layers) + " layers");
}

void readCheckpoint(CheckpointReader& reader)
{
    reader.config().localWindow = reader.reader().integer("window_size", 256, 1, kMostPositions);
    readAttentionTypes(reader);
}

void layerTensors(TensorList& list, const ModelConfig& c)
{
    list.layerNorm("ln_1", c.hidden);
    attentionTensors(list, c, kAttention);
    list.layerNorm("ln_2", c.hidden);
    feedForwardTensors(list, c, kFeedForward);
}

OperationList::Value layer(OperationList& list, const ModelConfig& c, OperationList::Value x)
{
    x = list.sum(x, attention(list, c, kAttention, list.layerNorm("ln_1", x), {.scale = 1}));
    return list.sum(x, feedForward(list, kFeedForward, list.layerNorm("ln_2", x)));
}

} // namespace

FamilyDescription gptNeoFamily()
{
    FamilyDescription family{.name = "gpt_neo",
                             .title = "GPT-Neo",
                             .frame = {.tokens = "transformer.wte",
                                       .positions = "transformer.wpe",
                                       .layers = "transformer.h",
                                       .finalNorm = "transformer.ln_f"},
                             .layerTensors = layerTensors,
                             .layer = layer,
                             .prefixes = {"transformer."},
                             .types = {{.type = "gpt_neo", .tied = true, .activation = "gelu_new"}},
                             .readKeys = readKeys,
                             .writeKeys = writeKeys,
                             .checkpointKeys = checkpointKeys,
                             .readCheckpoint = readCheckpoint};
    ModelConfig& c = family.defaults;
    c.tied = true;
    c.qkvBias = false;
    c.activation = Activation::GeluTanh;
    c.localWindow = 256;
    c.localLayers = {false, true};
    return family;
}

} // namespace peakscope
