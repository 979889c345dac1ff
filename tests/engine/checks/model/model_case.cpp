// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/model_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peakscope {
namespace {

// An integer hash to [0, 1): the same in any language, without a generator's state.
double hashed(std::uint64_t index, std::uint64_t salt)
{
    constexpr std::uint64_t kMask = 0xffffffff;
    std::uint64_t x = (index * 2654435761u + salt * 40503u) & kMask;
    x = ((x ^ (x >> 15)) * 2246822519u) & kMask;
    x = ((x ^ (x >> 13)) * 3266489917u) & kMask;
    x ^= x >> 16;
    return static_cast<double>(x) / 4294967296.0;
}

void fillByHash(Model& model)
{
    const at::NoGradGuard guard;
    for (Parameter& parameter : model.parameters()) {
        std::uint64_t salt = 0;
        for (const char character : parameter.spec.name)
            salt += static_cast<unsigned char>(character);
        const bool norm = parameter.spec.initializer == Initializer::Ones;
        std::vector<double> values(static_cast<std::size_t>(parameter.spec.count()));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = 0.28 * (hashed(i, salt) - 0.5) + (norm ? 1 : 0);
        parameter.tensor.copy_(at::from_blob(values.data(), parameter.spec.shape, at::TensorOptions(at::kDouble)));
    }
}

at::Tensor referenceTokens(std::int64_t vocab, const c10::TensorOptions& tensors)
{
    const auto options = tensors.dtype(at::kLong);
    const at::Tensor b = at::arange(3, options).unsqueeze(1);
    const at::Tensor t = at::arange(21, options).unsqueeze(0);
    return (b * 7 + t * t * 3 + t * b * 5 + t * 11).remainder(vocab);
}

ModelConfig smallConfig(std::string_view family)
{
    ModelConfig config = familyDefaults(family);
    config.hidden = config.embedDim = 24;
    config.layers = 2;
    config.heads = config.kvHeads = 4;
    config.headDim = 6;
    config.ffn = 40;
    config.vocab = 31;
    config.maxPositions = 32;
    config.initStd = 0.2; // large enough for every part to count
    if (config.activation == Activation::Relu)
        config.activation = Activation::Gelu;
    return config;
}

std::vector<std::pair<std::string, ModelConfig>> makeSmallConfigs()
{
    std::vector<std::pair<std::string, ModelConfig>> configs;
    configs.emplace_back("OPT", smallConfig("opt"));
    ModelConfig postNorm = smallConfig("opt");
    postNorm.preNorm = postNorm.finalNorm = false;
    postNorm.embedDim = 16;
    configs.emplace_back("OPT with norms after the sums", postNorm);
    configs.emplace_back("GPT-2", smallConfig("gpt2"));
    ModelConfig neo = smallConfig("gpt_neo");
    neo.localWindow = 7;
    neo.localLayers = {false, true};
    configs.emplace_back("GPT-Neo, a local layer", neo);
    ModelConfig neox = smallConfig("gpt_neox");
    neox.rotaryFraction = 0.67;
    configs.emplace_back("GPT-NeoX", neox);
    neox.parallelResidual = false;
    configs.emplace_back("GPT-NeoX, serial residual", neox);
    ModelConfig llama = smallConfig("llama");
    llama.kvHeads = 2;
    configs.emplace_back("Llama, grouped heads", llama);
    llama.tied = !llama.tied;
    llama.qkvBias = llama.outBias = llama.mlpBias = true;
    configs.emplace_back("Llama with biases, tied the other way", llama);
    ModelConfig qwen3 = smallConfig("qwen3");
    qwen3.kvHeads = 2;
    qwen3.headDim = 8;
    configs.emplace_back("Qwen3, wider heads", qwen3);
    qwen3.localWindow = 6;
    qwen3.localLayers = {false, true};
    configs.emplace_back("Qwen3, a window in one layer", qwen3);
    ModelConfig smolLm3 = smallConfig("smollm3");
    smolLm3.kvHeads = 2;
    smolLm3.unturnedLayers = {false, true};
    configs.emplace_back("SmolLM3, a layer without rotary positions", smolLm3);
    ModelConfig olmo2 = smallConfig("olmo2");
    olmo2.kvHeads = 2;
    configs.emplace_back("OLMo 2, grouped heads", olmo2);
    ModelConfig phi3 = smallConfig("phi3");
    phi3.kvHeads = 2;
    phi3.rotaryFraction = 0.67;
    phi3.localWindow = 5;
    configs.emplace_back("Phi-3, grouped heads and a window", phi3);
    ModelConfig gemma3 = smallConfig("gemma3");
    gemma3.kvHeads = 2;
    gemma3.headDim = 8;
    gemma3.queryScalar = 24;
    gemma3.localWindow = 6;
    gemma3.localLayers = {true, false};
    configs.emplace_back("Gemma 3, a window in one layer", gemma3);
    ModelConfig gemma = smallConfig("gemma");
    gemma.kvHeads = 1;
    gemma.headDim = 8;
    configs.emplace_back("Gemma, one key head", gemma);
    ModelConfig gemma2 = smallConfig("gemma2");
    gemma2.kvHeads = 2;
    gemma2.headDim = 8;
    gemma2.queryScalar = 3;
    gemma2.scoreCap = 0.7; // low enough for every score and logit to bend
    gemma2.logitCap = 1.5;
    gemma2.localWindow = 6;
    gemma2.localLayers = {true, false};
    configs.emplace_back("Gemma 2, low caps and a window in one layer", gemma2);
    ModelConfig mixtral = smallConfig("mixtral");
    mixtral.kvHeads = 2;
    mixtral.experts = 5; // with 4 a token's choice changes within a difference of finite steps
    configs.emplace_back("Mixtral, five experts", mixtral);
    ModelConfig qwen3Moe = smallConfig("qwen3_moe");
    qwen3Moe.headDim = 8;
    qwen3Moe.experts = 5;
    qwen3Moe.expertFfn = 12;
    qwen3Moe.normExperts = false;
    qwen3Moe.denseLayers = {false, true};
    configs.emplace_back("Qwen3 MoE, a dense layer", qwen3Moe);
    configs.emplace_back("plain", smallConfig("plain"));
    return configs;
}

double relative(double value, double expected)
{
    return std::abs(value - expected) / std::abs(expected);
}

} // namespace

ModelCase::ModelCase(const ModelConfig& config, const c10::TensorOptions& options, std::uint64_t seed)
{
    auto model = Model::create(config, options, seed, true);
    if (!model)
        throw std::runtime_error(model.error().text());
    m_model = std::move(*model);
}

at::Tensor ModelCase::loss(const at::Tensor& tokens, const ForwardOptions& options)
{
    const std::int64_t length = tokens.size(1) - 1;
    ForwardOptions own = options;
    if (const double coefficient = m_model->config().routerLoss; coefficient > 0)
        m_balance = c10::make_intrusive<RouterBalance>(coefficient);
    own.balance = m_balance.get();
    const at::Tensor hidden = m_model->hidden(tokens.narrow(1, 0, length), own);
    const at::Tensor loss = m_model->loss(hidden, tokens.narrow(1, 1, length), own);
    return m_balance ? loss + m_balance->loss() : loss;
}

double ModelCase::backward(const at::Tensor& tokens, const ForwardOptions& options)
{
    for (Parameter& parameter : m_model->parameters())
        parameter.tensor.mutable_grad().reset();
    const at::Tensor value = loss(tokens, options);
    value.backward();
    return value.item<double>();
}

std::vector<at::Tensor> ModelCase::gradients() const
{
    std::vector<at::Tensor> result;
    for (const Parameter& parameter : m_model->parameters()) {
        if (!parameter.tensor.grad().defined())
            throw std::runtime_error(parameter.spec.name + " has no gradient");
        result.push_back(parameter.tensor.grad());
    }
    return result;
}

double ModelCase::gradientNorm() const
{
    double sum = 0;
    for (const at::Tensor& gradient : gradients())
        sum += gradient.pow(2).sum().item<double>();
    return std::sqrt(sum);
}

const std::vector<std::pair<std::string, ModelConfig>>& trainedConfigs()
{
    static const auto all = [] {
        auto configs = smallConfigs();
        ModelConfig gptOss = smallConfig("gpt_oss");
        gptOss.kvHeads = 2;
        gptOss.headDim = 8;
        gptOss.experts = 4;
        gptOss.localWindow = 6;
        configs.emplace_back("GPT-OSS, a window in one layer", gptOss);
        return configs;
    }();
    return all;
}

const std::vector<std::pair<std::string, ModelConfig>>& smallConfigs()
{
    static const std::vector<std::pair<std::string, ModelConfig>> configs = makeSmallConfigs();
    return configs;
}

std::string scientific(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2e", value);
    return text;
}

double referenceError(const ModelReference& reference, const ForwardOptions& options, const c10::TensorOptions& tensors)
{
    const auto config = modelConfigFromHuggingFace(nlohmann::json::parse(reference.config), reference.name);
    if (!config)
        throw std::runtime_error(config.error().text());
    ModelCase model(*config, tensors, 1);
    fillByHash(*model);
    const at::Tensor tokens = referenceTokens(config->vocab, tensors);
    double worst = relative(model.backward(tokens, options), reference.loss);
    worst = std::max(worst, relative(model.gradientNorm(), reference.gradientNorm));
    for (std::size_t row = 0; row < reference.sampleNorms.size(); ++row) {
        model.backward(tokens.narrow(0, static_cast<std::int64_t>(row), 1), options);
        worst = std::max(worst, relative(model.gradientNorm(), reference.sampleNorms[row]));
    }
    return worst;
}

} // namespace peakscope
