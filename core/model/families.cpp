// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/family.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace peakscope {

FamilyDescription optFamily();
FamilyDescription gpt2Family();
FamilyDescription gptNeoxFamily();
FamilyDescription gptNeoFamily();
FamilyDescription llamaFamily();
FamilyDescription plainFamily();
FamilyDescription qwen3Family();
FamilyDescription smolLm3Family();
FamilyDescription olmo2Family();
FamilyDescription phi3Family();
FamilyDescription gemmaFamily();
FamilyDescription gemma2Family();
FamilyDescription gemma3Family();
FamilyDescription mixtralFamily();
FamilyDescription qwen3MoeFamily();
FamilyDescription gptOssFamily();

namespace {

constexpr std::array kMakers{optFamily,     gpt2Family,     gptNeoFamily, gptNeoxFamily, llamaFamily,  qwen3Family,
                             smolLm3Family, olmo2Family,    phi3Family,   gemmaFamily,   gemma2Family, gemma3Family,
                             mixtralFamily, qwen3MoeFamily, gptOssFamily, plainFamily};

} // namespace

const std::vector<FamilyDescription>& families()
{
    static const std::vector<FamilyDescription> all = [] {
        std::vector<FamilyDescription> made;
        for (const auto& make : kMakers) {
            FamilyDescription family = make();
            family.defaults.family = static_cast<Family>(made.size());
            family.defaults.ffn = family.usualFfn(family.defaults.hidden);
            made.push_back(std::move(family));
        }
        return made;
    }();
    return all;
}

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const FamilyDescription& family : families())
        names.emplace_back(family.name);
    return names;
}

const FamilyDescription& describe(Family family)
{
    return families().at(static_cast<std::size_t>(family));
}

std::string_view name(Family family)
{
    return describe(family).name;
}

std::optional<Family> familyFromName(std::string_view text)
{
    for (const FamilyDescription& family : families()) {
        if (family.name == text)
            return family.defaults.family;
    }
    return std::nullopt;
}

ModelConfig familyDefaults(Family family)
{
    return describe(family).defaults;
}

ModelConfig familyDefaults(std::string_view name)
{
    const auto family = familyFromName(name);
    if (!family)
        throw std::logic_error("there is no family " + std::string(name));
    return familyDefaults(*family);
}

TensorList::TensorList(const ModelConfig& config)
    : m_affineNorm(config.affineNorm), m_shiftedNorms(describe(config.family).shiftedNorms)
{}

void TensorList::enterLayer(std::string_view prefix, std::int64_t index)
{
    m_layer = index;
    m_prefix = std::string(prefix) + "." + std::to_string(index) + ".";
}

void TensorList::leaveLayers()
{
    m_layer = -1;
    m_prefix.clear();
}

void TensorList::add(std::string_view name, std::string_view end, std::vector<std::int64_t> shape, ModuleKind kind,
                     Initializer initializer, bool transposed)
{
    std::string whole = m_prefix;
    whole.append(name).append(end);
    m_specs.push_back({std::move(whole), std::move(shape), kind, m_layer, initializer, transposed});
}

void TensorList::table(std::string_view name, std::int64_t rows, std::int64_t width, ModuleKind kind)
{
    add(name, ".weight", {rows, width}, kind, Initializer::Normal);
}

void TensorList::linear(std::string_view name, std::int64_t out, std::int64_t in, bool bias, ModuleKind kind,
                        bool transposed)
{
    std::vector<std::int64_t> shape{out, in};
    if (transposed)
        std::swap(shape[0], shape[1]);
    add(name, ".weight", std::move(shape), kind, Initializer::Normal, transposed);
    if (bias)
        add(name, ".bias", {out}, kind, Initializer::Zeros);
}

void TensorList::layerNorm(std::string_view name, std::int64_t width)
{
    if (!m_affineNorm)
        return;
    add(name, ".weight", {width}, ModuleKind::Norm, Initializer::Ones);
    add(name, ".bias", {width}, ModuleKind::Norm, Initializer::Zeros);
}

void TensorList::rmsNorm(std::string_view name, std::int64_t width)
{
    add(name, ".weight", {width}, ModuleKind::Norm, m_shiftedNorms ? Initializer::Zeros : Initializer::Ones);
}

void TensorList::tensor(std::string_view name, std::vector<std::int64_t> shape, ModuleKind kind,
                        Initializer initializer)
{
    add(name, "", std::move(shape), kind, initializer);
}

std::int64_t ParameterSpec::count() const
{
    std::int64_t product = 1;
    for (const std::int64_t extent : shape)
        product *= extent;
    return product;
}

std::vector<ParameterSpec> parameterSpecs(const ModelConfig& config)
{
    const FamilyDescription& family = describe(config.family);
    const DecoderFrame& frame = family.frame;
    TensorList list(config);
    list.table(frame.tokens, config.vocab, config.embedDim, ModuleKind::Embedding);
    if (!frame.positions.empty())
        list.table(frame.positions, config.maxPositions + frame.positionOffset, config.hidden, ModuleKind::Embedding);
    if (config.embedDim != config.hidden) {
        list.linear(frame.projectOut, config.embedDim, config.hidden, false, ModuleKind::Head);
        list.linear(frame.projectIn, config.hidden, config.embedDim, false, ModuleKind::Embedding);
    }
    const auto finalNorm = [&] {
        if (config.finalNorm)
            frame.centered ? list.layerNorm(frame.finalNorm, config.hidden)
                           : list.rmsNorm(frame.finalNorm, config.hidden);
    };
    if (frame.normFirst)
        finalNorm();
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        list.enterLayer(frame.layers, layer);
        family.layerTensors(list, config);
    }
    list.leaveLayers();
    if (!frame.normFirst)
        finalNorm();
    if (!config.tied)
        list.table(frame.head, config.vocab, config.embedDim, ModuleKind::Head);
    return list.take();
}

namespace {

std::int64_t mixturesOf(const ModelConfig& config)
{
    std::int64_t mixtures = 0;
    for (std::int64_t layer = 0; layer < config.layers; ++layer)
        mixtures += config.isMixture(layer) ? 1 : 0;
    return mixtures;
}

// Of a layer of either kind, and of all that stands outside of layers.
struct PartCounts {
    std::int64_t layer = 0, outside = 0;
};

PartCounts partCounts(ModelConfig config, bool dense)
{
    config.layers = 1;
    config.denseLayers = {dense};
    PartCounts counts;
    for (const ParameterSpec& spec : parameterSpecs(config))
        (spec.layer < 0 ? counts.outside : counts.layer) += spec.count();
    return counts;
}

} // namespace

std::int64_t activeParameterCount(const ModelConfig& config)
{
    const bool biases = describe(config.family).experts.fused;
    const std::int64_t width = config.expertWidth();
    const std::int64_t expert = 3 * config.hidden * width + (biases ? 2 * width + config.hidden : 0);
    return parameterCount(config) -
           mixturesOf(config) * std::max<std::int64_t>(0, config.experts - config.expertsPerToken) * expert;
}

// Layers differ in nothing but whether they are mixtures, and all tensors of a large mixture are ten thousands.
std::int64_t parameterCount(const ModelConfig& config)
{
    const std::int64_t mixtures = mixturesOf(config);
    const PartCounts dense = partCounts(config, true);
    const std::int64_t mixture = mixtures > 0 ? partCounts(config, false).layer : 0;
    return dense.outside + (config.layers - mixtures) * dense.layer + mixtures * mixture;
}

} // namespace peakscope
