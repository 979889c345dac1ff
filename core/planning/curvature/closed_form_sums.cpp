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

std::vector<FormLinear> modelLinears(const ModelConfig& oneLayer, std::int64_t layers)
{
    std::vector<FormLinear> linears;
    bool attention = false;
    bool gate = false;
    for (const LinearShape& shape : linearLayers(oneLayer)) {
        const bool shared =
            sharesInput(shape.name, kAttentionInputs, attention) || sharesInput(shape.name, kGateInputs, gate);
        linears.push_back({shape.in, shape.out, shape.layer >= 0 ? layers : 1, shared});
    }
    return linears;
}

bool isHead(const ParameterSpec& spec, const ModelConfig& config)
{
    return spec.kind == ModuleKind::Head && spec.shape.size() == 2 && spec.shape[0] == config.vocab;
}

void addModel(FormParts& parts, const ModelConfig& oneLayer)
{
    for (const ParameterSpec& spec : parameterSpecs(oneLayer)) {
        const std::int64_t count = spec.count();
        const std::int64_t times = spec.layer >= 0 ? parts.layers : 1;
        parts.trained += times * count;
        parts.trainedTensors += times;
        parts.largestTrained = std::max(parts.largestTrained, count);
        if (spec.layer >= 0) {
            parts.allOfLayer += count;
        } else {
            (isHead(spec, oneLayer) ? parts.allOfHead : parts.allOfEmbedding) += count;
        }
    }
    parts.trainedOfLayer = parts.allOfLayer;
    parts.trainsHead = true;
}

// Adapters: y += scale · B (A x), two matrices beside each chosen layer (Hu et al. 2021, section 4.1).
Status addAdapters(FormParts& parts, const ModelConfig& config, const ModelConfig& oneLayer, const LoraOptions& lora)
{
    // A target may name one certain layer; then the short list lacks it and the whole one decides.
    auto plan = adapterPlan(oneLayer, lora);
    std::int64_t repeats = config.layers;
    if (!plan) {
        plan = adapterPlan(config, lora);
        repeats = 1;
    }
    if (!plan) {
        return plan.error();
    }
    parts.linears.clear();
    parts.trained = parts.trainedTensors = parts.largestTrained = parts.trainedOfLayer = 0;
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
    parts.trainedOfLayer = (parts.trained + config.layers - 1) / config.layers;
    parts.allOfLayer += parts.trainedOfLayer;
    return Done{};
}

} // namespace

std::int64_t FormParts::largestUnit() const
{
    return std::max({allOfLayer, allOfEmbedding, allOfHead});
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
    ModelConfig oneLayer = config;
    oneLayer.layers = std::min<std::int64_t>(config.layers, 1);
    FormParts parts;
    parts.layers = config.layers;
    parts.headIn = config.embedDim;
    parts.vocab = config.vocab;
    parts.linears = modelLinears(oneLayer, config.layers);
    addModel(parts, oneLayer);
    if (lora.rank > 0) {
        if (Status status = addAdapters(parts, config, oneLayer, lora); !status) {
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
