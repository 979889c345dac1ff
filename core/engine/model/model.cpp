// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/model.h"

#include "core/engine/device/device_generator.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/model/checkpoint.h"
#include "core/engine/model/experts.h"
#include "core/engine/model/layers.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/model/router_balance.h"
#include "core/model/family.h"
#include "core/model/work_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace peakscope {

struct Model::Step {
    ModuleId module = 0;
    Linear linear;
    LayerNorm layerNorm;
    RmsNorm rmsNorm;
    at::Tensor table; // embedding, position, head
    std::string name; // linear: "model.decoder.layers.0.fc1"
    Experts experts;
    std::vector<std::string> expertNames; // gate, up and down of each
};

namespace {

// The values of consecutive operations. Each dies with the operation that reads it last.
class Values
{
public:
    Values(std::size_t begin, std::size_t end, at::Tensor start, const std::vector<std::size_t>& lastUse)
        : m_begin(begin), m_start(std::move(start)), m_values(end - begin), m_lastUse(lastUse)
    {}

    at::Tensor take(std::size_t value, std::size_t reader)
    {
        at::Tensor& held = value < m_begin ? m_start : m_values[value - m_begin];
        return m_lastUse[value] == reader ? std::move(held) : held;
    }
    const at::Tensor& start() const { return m_start; }
    void put(std::size_t value, at::Tensor tensor) { m_values[value - m_begin] = std::move(tensor); }
    at::Tensor last() { return std::move(m_values.back()); }

private:
    std::size_t m_begin;
    at::Tensor m_start;
    std::vector<at::Tensor> m_values;
    const std::vector<std::size_t>& m_lastUse;
};

// [B, T, heads · D] or [B, T, heads, D] as the latter, a view.
at::Tensor byHeads(const at::Tensor& x, std::int64_t heads)
{
    return x.dim() == 4 ? x : splitHeads(x, heads);
}

// All parts of x [B, T, groups · sections] by one operator, so that backward joins their gradients in one tensor.
std::vector<at::Tensor> partsOf(const at::Tensor& x, const Operation& pick)
{
    return pick.groups == 1 ? x.split_with_sizes(pick.sections, 2)
                            : splitHeads(x, pick.groups).split_with_sizes(pick.sections, 3);
}

} // namespace

Model::Model(const ModelConfig& config) : m_config(config) {}
Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::create(const ModelConfig& config, const c10::TensorOptions& options,
                                             std::uint64_t seed, bool initialise, ParameterPlacement* placement)
{
    if (Status status = checkShape(config, "model"); !status)
        return status.error();
    std::unique_ptr<Model> model(new Model(config));
    model->m_placement = placement;
    if (Status status = model->allocate(options, seed, initialise); !status)
        return status.error();
    model->bind();
    return model;
}

Status Model::allocate(const c10::TensorOptions& options, std::uint64_t seed, bool initialise)
{
    const at::NoGradGuard guard;
    m_type = c10::typeMetaToScalarType(options.dtype());
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
        closeParameter(parameter, values);
        values.reset();
        parameter.tensor.set_requires_grad(at::isFloatingType(parameter.tensor.scalar_type()));
        if (!m_index.emplace(parameter.spec.name, m_parameters.size()).second)
            return failed("model", "the parameter " + parameter.spec.name + " is listed twice");
        m_parameters.push_back(std::move(parameter));
    }
    return Done{};
}

void Model::initialise(const at::Tensor& tensor, Initializer initializer, at::Generator& generator) const
{
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
    const at::Tensor piece = at::empty({std::min(kDrawnPiece, flat.numel())}, at::TensorOptions(at::kFloat));
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kDrawnPiece) {
        const std::int64_t size = std::min(kDrawnPiece, flat.numel() - begin);
        flat.narrow(0, begin, size).copy_(piece.narrow(0, 0, size).normal_(0, m_config.initStd, generator));
    }
}

void Model::quantize(Parameter& parameter, const at::Tensor& values)
{
    std::shared_ptr<QuantizedMatrix>& matrix = m_quantized[parameter.spec.name];
    QuantizedMatrix made(values, m_config.quantization);
    if (matrix)
        *matrix = std::move(made); // its layer knows it
    else
        matrix = std::make_shared<QuantizedMatrix>(std::move(made));
    parameter.tensor = matrix->codes();
    for (const at::Tensor& stored : matrix->stored())
        tagStorage(stored, Component::Parameters, parameter.module);
}

at::Tensor Model::openParameter(const Parameter& parameter) const
{
    if (!isQuantized(m_config, parameter.spec)) // whole on every rank
        return m_placement ? m_placement->open(parameter) : parameter.tensor;
    at::Tensor values = at::empty(parameter.spec.shape, parameter.tensor.options().dtype(m_type));
    tagStorage(values, Component::Parameters);
    return values;
}

void Model::closeParameter(Parameter& parameter, const at::Tensor& values)
{
    if (isQuantized(m_config, parameter.spec))
        quantize(parameter, values);
    else if (m_placement)
        m_placement->close(parameter, values);
}

std::vector<at::Tensor> Model::storedTensors(const Parameter& parameter) const
{
    const auto found = m_quantized.find(parameter.spec.name);
    return found == m_quantized.end() ? std::vector{parameter.tensor} : found->second->stored();
}

at::Tensor Model::numbersOf(const Parameter& parameter) const
{
    if (m_quantized.empty())
        return parameter.tensor;
    const auto found = m_quantized.find(parameter.spec.name);
    return found == m_quantized.end() ? parameter.tensor : found->second->numbers(m_type);
}

const at::Tensor& Model::parameter(const std::string& name) const
{
    const auto entry = m_index.find(name);
    TORCH_CHECK(entry != m_index.end(), "the model has no parameter ", name);
    return m_parameters[entry->second].tensor;
}

void Model::bind()
{
    std::vector<ParameterSpec> specs;
    for (const Parameter& parameter : m_parameters)
        specs.push_back(parameter.spec);
    m_program = modelProgram(m_config, specs);
    m_lastUse = lastUses(m_program.operations);
    std::vector<ModuleId> modules;
    for (const ModuleSpec& module : m_program.modules)
        modules.push_back(registerModule(module.name, module.kind));
    for (std::size_t i = 0; i < m_program.operations.size(); ++i) {
        const Operation& operation = m_program.operations[i];
        if (operation.layer >= static_cast<std::int64_t>(m_begins.size()))
            m_begins.push_back(i);
        m_steps.push_back(bound(operation, modules));
    }
}

Model::Step Model::bound(const Operation& operation, const std::vector<ModuleId>& modules)
{
    Step step;
    step.module = modules[operation.module];
    const bool shared = operation.kind == OperationKind::Head && m_config.tied;
    std::vector<at::Tensor> own(std::max<std::size_t>(2, operation.parameters.size()));
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        Parameter& parameter = m_parameters[operation.parameters[i]];
        own[i] = parameter.tensor;
        if (!shared)
            parameter.module = step.module;
    }
    switch (operation.kind) {
    case OperationKind::Linear:
        step.name = nameOf(operation.parameters.front());
        step.linear = linearOf(operation.parameters.front());
        step.linear.bias = std::move(own[1]);
        step.linear.transposed = operation.transposed;
        break;
    case OperationKind::Experts:
        step.experts.count = m_config.experts;
        if (describe(m_config.family).experts.fused) {
            step.experts.fused = {std::move(own[0]), std::move(own[1]), std::move(own[2]), std::move(own[3])};
            step.experts.fused.alpha = m_config.swigluAlpha;
            step.experts.fused.limit = m_config.swigluLimit;
        }
        for (std::size_t i = 0; !step.experts.fused.gateUp.defined() && i < operation.parameters.size(); i += 3) {
            const auto part = [&](std::size_t k) {
                step.expertNames.push_back(nameOf(operation.parameters[i + k]));
                return linearOf(operation.parameters[i + k]);
            };
            Expert expert;
            expert.gate = part(0);
            expert.up = part(1);
            expert.down = part(2);
            step.experts.all.push_back(std::move(expert));
        }
        step.experts.perToken = m_config.expertsPerToken;
        step.experts.normed = m_config.normExperts;
        step.experts.wide = describe(m_config.family).experts.wideWeights;
        step.experts.activation = m_config.activation;
        break;
    case OperationKind::Norm:
        if (operation.centered)
            step.layerNorm = {std::move(own[0]), std::move(own[1]), operation.width, m_config.normEps};
        else
            step.rmsNorm = {std::move(own[0]), m_config.normEps, operation.shifted};
        break;
    default:
        step.table = std::move(own[0]);
    }
    return step;
}

std::string Model::nameOf(std::size_t weight) const
{
    const std::string& name = m_parameters[weight].spec.name;
    return name.substr(0, name.rfind('.'));
}

Linear Model::linearOf(std::size_t weight) const
{
    Linear linear;
    linear.weight = m_parameters[weight].tensor;
    if (const auto found = m_quantized.find(m_parameters[weight].spec.name); found != m_quantized.end())
        linear.quantized = found->second;
    return linear;
}

Linear* Model::linearNamed(const std::string& name)
{
    for (Step& step : m_steps) {
        if (step.name == name)
            return &step.linear;
        const auto found = std::find(step.expertNames.begin(), step.expertNames.end(), name);
        if (found == step.expertNames.end())
            continue;
        const auto place = static_cast<std::size_t>(found - step.expertNames.begin());
        Expert& expert = step.experts.all[place / 3];
        return place % 3 == 0 ? &expert.gate : place % 3 == 1 ? &expert.up : &expert.down;
    }
    return nullptr;
}

const Experts& Model::experts(std::int64_t layer) const
{
    for (std::size_t i = m_begins[static_cast<std::size_t>(layer)]; i < m_steps.size(); ++i) {
        if (m_program.operations[i].kind == OperationKind::Experts)
            return m_steps[i].experts;
    }
    TORCH_CHECK(false, "layer ", layer, " has no mixture of experts");
}

const at::Tensor& Model::headWeight() const
{
    return m_steps.back().table;
}

void Model::scopeLinearLayers()
{
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const Operation& operation = m_program.operations[i];
        if (operation.kind != OperationKind::Linear)
            continue;
        m_steps[i].linear.module =
            registerModule(m_steps[i].name, m_parameters[operation.parameters.front()].spec.kind);
        for (const std::size_t parameter : operation.parameters)
            m_parameters[parameter].module = m_steps[i].linear.module;
    }
}

Status Model::checkSequence(std::int64_t sequence) const
{
    const std::string length = "data.seq: " + std::to_string(sequence);
    if (m_config.learnedPositions() && sequence > m_config.maxPositions)
        return badInput("", length + " is above the model's " + std::to_string(m_config.maxPositions) + " positions");
    return Done{};
}

ForwardContext Model::makeContext(const at::Tensor& tokens, const ForwardOptions& options,
                                  const at::Tensor& labels) const
{
    const Status fits = checkSequence(tokens.size(1));
    TORCH_CHECK(fits.ok(), fits.ok() ? std::string() : fits.error().text());
    const FamilyDescription& family = describe(m_config.family);
    ForwardContext context;
    context.attention.kind = options.attention;
    context.attention.causal = family.causal;
    context.experts = options.experts;
    context.balance = options.balance;
    if (family.causal && options.attention == AttentionKind::Math)
        context.attention.mask = causalMask(tokens.size(1), tokens.device());
    if (!family.causal && labels.defined()) // elsewhere padding comes later than all that is data
        context.attention.padding = paddingOf(labels);
    const std::int64_t window = m_config.localWindowOver(tokens.size(1));
    if (window > 0 && options.attention == AttentionKind::Math)
        context.localMask = causalMask(tokens.size(1), tokens.device(), window);
    if (!m_config.learnedPositions())
        context.rope = ropeTables(m_config, tokens.size(1), headWeight().options());
    if (m_config.hasLocalRope())
        context.localRope = ropeTables(m_config.withLocalRope(), tokens.size(1), headWeight().options());
    return context;
}

at::Tensor Model::run(std::size_t begin, std::size_t end, at::Tensor start, const ForwardContext& context) const
{
    Values values(begin, end, std::move(start), m_lastUse);
    std::vector<at::Tensor> parts; // of the value that is being picked from
    std::optional<ModuleScope> scope;
    for (std::size_t i = begin; i < end; ++i) {
        const Operation& operation = m_program.operations[i];
        const Step& step = m_steps[i];
        if (i == begin || step.module != m_steps[i - 1].module) {
            scope.reset();
            scope.emplace(step.module);
        }
        std::array<at::Tensor, 3> in;
        for (std::size_t k = 0; k < operation.inputs.size(); ++k)
            in[k] = values.take(operation.inputs[k], i);
        if (operation.inputs.empty()) // the embedding, of tokens
            in[0] = values.start();
        at::Tensor out;
        switch (operation.kind) {
        case OperationKind::Embedding:
            out = embedTokens(step.table, in[0]);
            break;
        case OperationKind::Position:
            out = addPositions(in[0], step.table, m_config.positionOffset());
            break;
        case OperationKind::Linear:
            out = apply(step.linear, in[0]);
            break;
        case OperationKind::Norm:
            if (operation.groups > 1)
                in[0] = byHeads(in[0], operation.groups);
            out = operation.centered ? apply(step.layerNorm, in[0]) : apply(step.rmsNorm, in[0]);
            break;
        case OperationKind::Activation:
            out = activate(m_config.activation, in[0]);
            break;
        case OperationKind::Add:
            out = in[0] + in[1];
            break;
        case OperationKind::Multiply:
            out = in[0] * in[1];
            break;
        case OperationKind::Pick:
            if (operation.part == 0)
                parts = partsOf(in[0], operation);
            out = std::move(parts[static_cast<std::size_t>(operation.part)]);
            break;
        case OperationKind::Copy:
            out = in[0].contiguous();
            break;
        case OperationKind::Rope:
            out = rotate(byHeads(in[0], operation.heads), operation.local ? context.localRope : context.rope);
            break;
        case OperationKind::Attention: {
            AttentionOptions options = context.attention;
            options.scale = operation.scale;
            options.cap = operation.cap;
            options.sinks = step.table;
            options.window = windowOver(operation.window, in[0].size(1));
            if (options.window > 0)
                options.mask = context.localMask;
            in[0] = byHeads(in[0], m_config.heads);
            in[1] = byHeads(in[1], m_config.kvHeads);
            in[2] = byHeads(in[2], m_config.kvHeads);
            out = attention(std::move(in[0]), std::move(in[1]), std::move(in[2]), options);
            break;
        }
        case OperationKind::Experts:
            out = apply(step.experts, in[0], in[1],
                        context.experts ? &context.experts->layer(static_cast<std::size_t>(operation.layer)) : nullptr,
                        context.balance, context.experts ? context.experts->assumed() : ExpertRouting::Even);
            break;
        case OperationKind::Scale:
            out = in[0] * roundedTo(operation.scale, m_type);
            break;
        case OperationKind::Head: // the loss's
            TORCH_CHECK(false, "no operation of a forward pass");
        }
        values.put(i, std::move(out));
    }
    return values.last();
}

at::Tensor Model::hidden(const at::Tensor& tokens, const ForwardOptions& options, const at::Tensor& labels)
{
    if (m_hooks)
        m_hooks->enterForward(0);
    const auto context = std::make_shared<const ForwardContext>(makeContext(tokens, options, labels));
    at::Tensor x = leaveUnit(0, run(0, m_begins.front(), tokens, *context), false);
    const auto layers = static_cast<std::size_t>(m_config.layers);
    for (std::size_t index = 0; index < layers; ++index) {
        if (options.checkpointing) {
            // Recomputed with a graph, whose backward follows at once: the unit stays for it.
            x = checkpointed(
                [this, index, context](const at::Tensor& input) {
                    return unitLayer(index, input, *context, at::GradMode::is_enabled());
                },
                x);
        } else {
            x = unitLayer(index, x, *context, false);
        }
    }
    if (options.experts != nullptr)
        options.experts->endPass();
    if (options.balance != nullptr)
        options.balance->close();
    x = enterUnit(layers + 1, x);
    const std::size_t head = m_steps.size() - 1;
    return m_begins[layers] < head ? run(m_begins[layers], head, std::move(x), *context) : x;
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
    const at::Tensor start = enterUnit(index + 1, x);
    return leaveUnit(index + 1, run(m_begins[index], m_begins[index + 1], start, context), keep);
}

ModuleId Model::headModule() const
{
    return m_steps.back().module;
}

at::Tensor Model::loss(const at::Tensor& hidden, const at::Tensor& labels, const ForwardOptions& options,
                       std::int64_t denominator) const
{
    const ModuleScope scope(headModule());
    const at::Tensor rows = hidden.reshape({-1, hidden.size(-1)});
    const at::Tensor targets = labels.reshape({-1});
    if (options.lossHead == LossHead::Chunked)
        return chunkedLoss(rows, headWeight(), targets, denominator, m_config.logitCap);
    return naiveLoss(rows, headWeight(), targets, denominator, m_config.logitCap,
                     options.lossHead == LossHead::Naive ? options.logits : nullptr);
}

} // namespace peakscope
