// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/closed_form_sums.h"

#include "core/model/adapter_specs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace peakscope {

namespace {

// Names of projections that read the same input; the first of them in a layer is the one that keeps it.
constexpr std::string_view kAttentionInputs[] = {"q_proj", "k_proj", "v_proj"};
constexpr std::string_view kGateInputs[] = {"gate_proj", "up_proj"};

// Marks every projection of a group but the first.
template <std::size_t N>
bool sharesInput(std::string_view name, const std::string_view (&group)[N], bool& seen)
{
    const bool member =
        std::any_of(std::begin(group), std::end(group), [name](std::string_view last) { return name.ends_with(last); });
    return member && std::exchange(seen, true);
}

// A model of one layer for each kind of layers, and how many of it there are.
struct LayerKind {
    ModelConfig oneLayer;
    std::int64_t count = 0;
};

std::vector<LayerKind> layerKinds(const ModelConfig& config)
{
    std::vector<LayerKind> kinds;
    const auto add = [&kinds, &config](std::vector<bool> denseLayers, std::int64_t count) {
        kinds.push_back({config, count});
        kinds.back().oneLayer.layers = 1;
        kinds.back().oneLayer.denseLayers = std::move(denseLayers);
    };
    std::int64_t mixtures = 0;
    for (std::int64_t layer = 0; layer < config.layers; ++layer)
        mixtures += config.isMixture(layer) ? 1 : 0;
    if (mixtures == 0 || mixtures == config.layers) {
        add({mixtures == 0}, config.layers);
    } else {
        add({false}, mixtures);
        add({true}, config.layers - mixtures);
    }
    return kinds;
}

void addLinears(FormParts& parts, const ModelConfig& oneLayer, std::int64_t layers, bool outside)
{
    bool attention = false;
    bool gate = false;
    for (const LinearShape& shape : linearLayers(oneLayer)) {
        if (shape.layer < 0 && !outside)
            continue;
        const bool shared =
            sharesInput(shape.name, kAttentionInputs, attention) || sharesInput(shape.name, kGateInputs, gate);
        parts.linears.push_back({shape.in, shape.out, shape.layer >= 0 ? layers : 1, shared});
    }
}

bool isHead(const ParameterSpec& spec, const ModelConfig& config)
{
    return spec.kind == ModuleKind::Head && spec.shape.size() == 2 && spec.shape[0] == config.vocab;
}

// `outside`: what is outside the layers too.
void addModel(FormParts& parts, const ModelConfig& oneLayer, std::int64_t layers, bool outside)
{
    FormLayers kind{layers};
    for (const ParameterSpec& spec : parameterSpecs(oneLayer)) {
        if (spec.layer < 0 && !outside)
            continue;
        const std::int64_t count = spec.count();
        const std::int64_t times = spec.layer >= 0 ? layers : 1;
        parts.trained += times * count;
        parts.trainedTensors += times;
        parts.largestTrained = std::max(parts.largestTrained, count);
        if (spec.layer >= 0) {
            kind.all += count;
        } else {
            (isHead(spec, oneLayer) ? parts.allOfHead : parts.allOfEmbedding) += count;
        }
    }
    kind.trained = kind.all;
    parts.layers.push_back(kind);
}

// Adapters: y += scale · B (A x), two matrices beside each chosen layer (Hu et al. 2021, section 4.1).
Status addAdapters(FormParts& parts, const ModelConfig& config, const std::vector<LayerKind>& kinds,
                   const LoraOptions& lora)
{
    // A target may name one certain layer or kind; then the short list lacks it and the whole one decides.
    auto plan = adapterPlan(kinds.size() == 1 ? kinds.front().oneLayer : config, lora);
    std::int64_t repeats = kinds.size() == 1 ? config.layers : 1;
    if (!plan) {
        plan = adapterPlan(config, lora);
        repeats = 1;
    }
    if (!plan) {
        return plan.error();
    }
    parts.linears.clear();
    parts.trained = parts.trainedTensors = parts.largestTrained = 0;
    parts.trainsHead = false;
    for (const LinearShape& layer : plan->layers) {
        const std::int64_t times = layer.layer >= 0 ? repeats : 1;
        const std::int64_t count = lora.rank * (layer.in + layer.out);
        parts.linears.push_back({layer.in, lora.rank, times, false});
        parts.linears.push_back({lora.rank, layer.out, times, false});
        parts.trained += times * count;
        parts.trainedTensors += 2 * times;
        parts.largestTrained = std::max(parts.largestTrained, lora.rank * std::max(layer.in, layer.out));
    }
    for (FormLayers& each : parts.layers) {
        each.trained = (parts.trained + config.layers - 1) / config.layers;
        each.all += each.trained;
    }
    return Done{};
}

} // namespace

std::int64_t FormParts::all() const
{
    std::int64_t sum = allOfEmbedding + allOfHead;
    for (const FormLayers& each : layers)
        sum += each.count * each.all;
    return sum;
}

std::int64_t FormParts::layerCount() const
{
    std::int64_t count = 0;
    for (const FormLayers& each : layers)
        count += each.count;
    return count;
}

std::int64_t FormParts::largestLayer() const
{
    std::int64_t most = 0;
    for (const FormLayers& each : layers)
        most = std::max(most, each.all);
    return most;
}

std::int64_t FormParts::mostTrainedOfLayer() const
{
    std::int64_t most = 0;
    for (const FormLayers& each : layers)
        most = std::max(most, each.trained);
    return most;
}

std::int64_t FormParts::largestUnit() const
{
    return std::max({largestLayer(), allOfEmbedding, allOfHead});
}

Result<FormParts> formParts(const ModelConfig& config, const LoraOptions& lora)
{
    struct Known {
        ModelConfig config;
        LoraOptions lora;
        FormParts parts;
    };
    thread_local std::optional<Known> known; // a search asks for the same ones again and again
    if (known && known->config == config && known->lora == lora) {
        return known->parts;
    }
    FormParts parts;
    parts.headIn = config.embedDim;
    parts.vocab = config.vocab;
    parts.trainsHead = true;
    const std::vector<LayerKind> kinds = layerKinds(config);
    for (const LayerKind& kind : kinds) {
        const bool outside = &kind == &kinds.front();
        addLinears(parts, kind.oneLayer, kind.count, outside);
        addModel(parts, kind.oneLayer, kind.count, outside);
    }
    if (lora.rank > 0) {
        if (Status status = addAdapters(parts, config, kinds, lora); !status) {
            return status.error();
        }
    }
    known = Known{config, lora, parts};
    return parts;
}

std::int64_t cappedProduct(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) || product > kMostFormBytes ? kMostFormBytes : product;
}

std::int64_t cappedSum(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) || sum > kMostFormBytes ? kMostFormBytes : sum;
}

} // namespace peakscope
