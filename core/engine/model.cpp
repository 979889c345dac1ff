// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model.h"

#include "core/engine/checkpoint.h"
#include "core/engine/device_generator.h"
#include "core/engine/dpsgd/sample_head.h"
#include "core/engine/layers.h"
#include "core/engine/loss_head.h"
#include "core/engine/model_families.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>

namespace peakscope {
namespace {

std::unique_ptr<Model> makeModel(const ModelConfig& config)
{
    switch (config.family) {
    case Family::Opt:
        return makeOptModel(config);
    case Family::Gpt2:
        return makeGpt2Model(config);
    case Family::GptNeox:
        return makeGptNeoxModel(config);
    case Family::Llama:
        return makeLlamaModel(config);
    case Family::Plain:
        break;
    }
    return makePlainModel(config);
}

} // namespace

Model::Model(ModelConfig config) : m_config(std::move(config)) {}

Result<std::unique_ptr<Model>> Model::create(const ModelConfig& config, const c10::TensorOptions& options,
                                             std::uint64_t seed, bool initialise, ParameterPlacement* placement)
{
    if (Status status = checkShape(config, "model"); !status)
        return status.error();
    std::unique_ptr<Model> model = makeModel(config);
    model->m_placement = placement;
    if (Status status = model->allocate(options, seed, initialise); !status)
        return status.error();
    model->bind();
    return model;
}

Status Model::allocate(const c10::TensorOptions& options, std::uint64_t seed, bool initialise)
{
    const at::NoGradGuard guard;
    const bool byDevice = drawnByDevice(m_config, options.device());
    at::Generator generator = deviceGenerator(byDevice ? options.device() : c10::Device(at::kCPU), seed);
    for (ParameterSpec& spec : parameterSpecs(m_config)) {
        Parameter parameter;
        at::Tensor values = m_placement ? m_placement->place(spec, options) : at::empty(spec.shape, options);
        tagStorage(values, Component::Parameters);
        parameter.tensor = values;
        parameter.spec = std::move(spec);
        if (initialise)
            this->initialise(values, parameter.spec.initializer, generator);
        if (m_placement)
            m_placement->close(parameter, values);
        parameter.tensor.set_requires_grad(true);
        if (!m_index.emplace(parameter.spec.name, m_parameters.size()).second)
            return failed("model", "the parameter " + parameter.spec.name + " is listed twice");
        m_parameters.push_back(std::move(parameter));
    }
    return Done{};
}

void Model::initialise(const at::Tensor& tensor, Initializer initializer, at::Generator& generator) const
{
    constexpr std::int64_t kPiece = std::int64_t{1} << 20; // elements: a 4 MiB buffer
    switch (initializer) {
    case Initializer::Zeros:
        tensor.zero_();
        return;
    case Initializer::Ones:
        tensor.fill_(1);
        return;
    case Initializer::Normal:
        break;
    }
    if (!generator.device().is_cpu()) {
        tensor.normal_(0, m_config.initStd, generator);
        return;
    }
    const at::Tensor flat = tensor.view({-1});
    const at::Tensor piece = at::empty({std::min(kPiece, flat.numel())}, at::TensorOptions(at::kFloat));
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kPiece) {
        const std::int64_t size = std::min(kPiece, flat.numel() - begin);
        flat.narrow(0, begin, size).copy_(piece.narrow(0, 0, size).normal_(0, m_config.initStd, generator));
    }
}

const at::Tensor& Model::parameter(const std::string& name) const
{
    const auto entry = m_index.find(name);
    TORCH_CHECK(entry != m_index.end(), "the model has no parameter ", name);
    return m_parameters[entry->second].tensor;
}

const at::Tensor& Model::take(const std::string& name, ModuleId module)
{
    const at::Tensor& tensor = parameter(name);
    m_parameters[m_index.at(name)].module = module;
    return tensor;
}

void Model::takeLinear(Linear& linear, const std::string& name, ModuleId module, bool transposed)
{
    linear.weight = take(name + ".weight", module);
    if (hasParameter(name + ".bias"))
        linear.bias = take(name + ".bias", module);
    linear.transposed = transposed;
    m_linears.push_back({name, m_parameters[m_index.at(name + ".weight")].spec.kind, &linear});
}

void Model::takeNorm(LayerNorm& norm, const std::string& name)
{
    norm.module = registerModule(name, ModuleKind::Norm);
    norm.width = m_config.hidden;
    norm.eps = m_config.normEps;
    if (!hasParameter(name + ".weight"))
        return;
    norm.weight = take(name + ".weight", norm.module);
    norm.bias = take(name + ".bias", norm.module);
}

void Model::takeNorm(RmsNorm& norm, const std::string& name)
{
    norm.module = registerModule(name, ModuleKind::Norm);
    norm.eps = m_config.normEps;
    norm.weight = take(name + ".weight", norm.module);
}

void Model::scopeLinearLayers()
{
    for (const NamedLinear& entry : m_linears) {
        entry.linear->module = registerModule(entry.name, entry.kind);
        take(entry.name + ".weight", entry.linear->module);
        if (entry.linear->bias.defined())
            take(entry.name + ".bias", entry.linear->module);
    }
}

Status Model::checkSequence(std::int64_t sequence) const
{
    const std::string length = "data.seq: " + std::to_string(sequence);
    if (m_config.learnedPositions() && sequence > m_config.maxPositions)
        return badInput("", length + " is above the model's " + std::to_string(m_config.maxPositions) + " positions");
    if (m_config.slidingWindow > 0 && sequence > m_config.slidingWindow) {
        return badInput("", length + " is above the model's sliding window of " +
                                std::to_string(m_config.slidingWindow) +
                                ", which is not supported; at most that many work");
    }
    return Done{};
}

ForwardContext Model::makeContext(const at::Tensor& tokens, const ForwardOptions& options, bool causal) const
{
    const Status fits = checkSequence(tokens.size(1));
    TORCH_CHECK(fits.ok(), fits.ok() ? std::string() : fits.error().text());
    ForwardContext context;
    context.attention.kind = options.attention;
    context.attention.causal = causal;
    if (causal && options.attention == AttentionKind::Math)
        context.attention.mask = causalMask(tokens.size(1), tokens.device());
    return context;
}

at::Tensor Model::hidden(const at::Tensor& tokens, const ForwardOptions& options)
{
    if (m_hooks)
        m_hooks->enterForward(0);
    return computeHidden(tokens, options);
}

// What runs before backward comes back to the unit stands behind its output, what runs after it before its input.
at::Tensor Model::enterUnit(std::size_t unit, const at::Tensor& x)
{
    if (!m_hooks)
        return x;
    m_hooks->enterForward(unit);
    return whenBackwardPasses(x, [hooks = m_hooks, unit] { hooks->leaveBackward(unit); });
}

at::Tensor Model::leaveUnit(std::size_t unit, const at::Tensor& x, bool keep)
{
    if (!m_hooks)
        return x;
    if (!keep)
        m_hooks->leaveForward(unit);
    return whenBackwardPasses(x, [hooks = m_hooks, unit] { hooks->enterBackward(unit); });
}

at::Tensor Model::unitLayer(std::size_t index, const at::Tensor& x, const ForwardContext& context, bool keep)
{
    return leaveUnit(index + 1, layer(index, enterUnit(index + 1, x), context), keep);
}

at::Tensor Model::runLayers(at::Tensor x, const ForwardOptions& options, ForwardContext context)
{
    const auto shared = std::make_shared<const ForwardContext>(std::move(context));
    x = leaveUnit(0, x, false);
    for (std::size_t index = 0; index < static_cast<std::size_t>(m_config.layers); ++index) {
        if (options.checkpointing) {
            // Recomputed with a graph, whose backward follows at once: the unit stays for it.
            x = checkpointed(
                [this, index, shared](const at::Tensor& input) {
                    return unitLayer(index, input, *shared, at::GradMode::is_enabled());
                },
                x);
        } else {
            x = unitLayer(index, x, *shared, false);
        }
    }
    return enterUnit(static_cast<std::size_t>(m_config.layers) + 1, x);
}

at::Tensor Model::loss(const at::Tensor& hidden, const at::Tensor& labels, const ForwardOptions& options,
                       std::int64_t denominator) const
{
    const ModuleScope scope(m_headModule);
    const at::Tensor rows = hidden.reshape({-1, hidden.size(-1)});
    const at::Tensor targets = labels.reshape({-1});
    if (options.lossHead == LossHead::Chunked)
        return chunkedLoss(rows, headWeight(), targets, denominator);
    return naiveLoss(rows, headWeight(), targets, denominator,
                     options.lossHead == LossHead::Naive ? options.logits : nullptr);
}

at::Tensor Model::sampleLosses(const at::Tensor& hidden, const at::Tensor& labels, const ForwardOptions& options) const
{
    const ModuleScope scope(m_headModule);
    return peakscope::sampleLosses(hidden, headWeight(), labels, options.lossHead,
                                   options.lossHead == LossHead::Naive ? options.logits : nullptr);
}

} // namespace peakscope
