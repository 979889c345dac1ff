// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_model.h"

#include "core/base/recent_values.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "core/model/work_pieces.h"
#include "core/planning/shadow/shadow_sample_functions.h"

#include <algorithm>
#include <string>
#include <utility>

namespace peakscope {

ShadowType shadowAdapterType(const LoraOptions& options, ShadowType weights)
{
    return isNarrow(weights) && options.dtype == AdapterType::Float32 ? ShadowType::Float32 : weights;
}

struct ShadowModel::Description {
    std::vector<ParameterSpec> specs;
    ModelProgram program;
    std::vector<std::size_t> lastUse;
    struct Place {
        std::size_t operation = 0;
        std::size_t part = 0; // gate, up and down of each expert
    };
    std::map<std::string, Place> linear; // by its weight's name
};

// A search simulates few shapes thousands of times.
std::shared_ptr<const ShadowModel::Description> ShadowModel::describedAs(const ModelConfig& config)
{
    thread_local RecentValues<ModelConfig, std::shared_ptr<const Description>> known;
    return known.of(config, [&config] {
        auto made = std::make_shared<Description>();
        made->specs = parameterSpecs(config);
        made->program = modelProgram(config, made->specs);
        made->lastUse = lastUses(made->program.operations);
        for (std::size_t i = 0; i < made->program.operations.size(); ++i) {
            const Operation& operation = made->program.operations[i];
            const bool experts = operation.kind == OperationKind::Experts;
            if (!experts && operation.kind != OperationKind::Linear)
                continue;
            const std::size_t parts = describe(config.family).experts.fused ? 0 : operation.parameters.size();
            for (std::size_t k = 0; k < (experts ? parts : 1); ++k)
                made->linear.emplace(made->specs[operation.parameters[k]].name, Description::Place{i, k});
        }
        return made;
    });
}

ShadowModel::ShadowModel(ShadowGraph& graph, const ModelConfig& config, ShadowType type, bool drawn, bool placed)
    : m_graph(graph), m_config(config), m_description(describedAs(config)), m_specs(m_description->specs),
      m_program(m_description->program), m_lastUse(m_description->lastUse), m_type(type), m_drawn(drawn),
      m_owned(m_specs.size())
{
    if (placed)
        m_nothing = graph.fresh(0, type);
    std::vector<std::uint16_t> modules;
    for (const ModuleSpec& module : m_program.modules)
        modules.push_back(graph.memory().addModule({module.name, module.kind}));
    std::vector<std::uint16_t> owners(m_specs.size());
    for (std::size_t i = 0; i < m_program.operations.size(); ++i) {
        const Operation& operation = m_program.operations[i];
        if (operation.layer >= static_cast<std::int64_t>(m_begins.size()))
            m_begins.push_back(i);
        Step& step = m_steps.emplace_back();
        step.module = modules[operation.module];
        bind(step, operation);
        const bool shared = operation.kind == OperationKind::Head && config.tied;
        for (const std::size_t parameter : operation.parameters)
            owners[parameter] = shared ? owners[parameter] : step.module;
    }
    for (std::size_t i = 0; i < m_specs.size(); ++i) {
        make(m_owned[i], m_specs[i].count(), type, owners[i]);
        if (!placed)
            store(m_owned[i]);
    }
}

void ShadowModel::bind(Step& step, const Operation& operation)
{
    const auto own = [&](std::size_t place) {
        return place < operation.parameters.size() ? &m_owned[operation.parameters[place]] : nullptr;
    };
    if (operation.kind == OperationKind::Linear) {
        step.linear = linearOf(operation.parameters.front());
        step.linear.bias = own(1);
    } else if (operation.kind == OperationKind::Experts) {
        bindExperts(step.experts, operation);
    } else if (operation.kind == OperationKind::Norm) {
        step.norm = {own(0), own(1), operation.width / operation.groups, !operation.centered, operation.shifted};
    }
}

ShadowLinear ShadowModel::linearOf(std::size_t weight)
{
    const ParameterSpec& spec = m_specs[weight];
    ShadowLinear linear;
    linear.weight = &m_owned[weight];
    linear.in = spec.shape[spec.transposed ? 0 : 1];
    linear.out = spec.shape[spec.transposed ? 1 : 0];
    linear.transposed = spec.transposed;
    linear.type = m_type;
    if (isQuantized(m_config, spec))
        linear.quantization = m_config.quantization;
    return linear;
}

void ShadowModel::bindExperts(ShadowExperts& experts, const Operation& operation)
{
    experts.count = m_config.experts;
    experts.width = m_config.expertWidth();
    const bool fused = describe(m_config.family).experts.fused;
    for (std::size_t i = 0; fused && i < experts.fused.size(); ++i)
        experts.fused[i] = &m_owned[operation.parameters[i]];
    for (std::size_t i = 0; !fused && i < operation.parameters.size(); i += 3) {
        const auto part = [&](std::size_t k) { return linearOf(operation.parameters[i + k]); };
        experts.all.push_back({part(0), part(1), part(2)});
    }
    experts.perToken = m_config.expertsPerToken;
    experts.normed = m_config.normExperts;
    experts.wide = describe(m_config.family).experts.wideWeights;
    experts.activation = m_config.activation;
    experts.layer = static_cast<std::size_t>(operation.layer);
}

ShadowLinear* ShadowModel::linearNamed(const std::string& name)
{
    const auto found = m_description->linear.find(name + ".weight");
    if (found == m_description->linear.end())
        return nullptr;
    const auto [operation, part] = found->second;
    Step& step = m_steps[operation];
    if (m_program.operations[operation].kind == OperationKind::Linear)
        return &step.linear;
    ShadowExpert& expert = step.experts.all[part / 3];
    return part % 3 == 0 ? &expert.gate : part % 3 == 1 ? &expert.up : &expert.down;
}

void ShadowModel::make(ShadowParameter& parameter, std::int64_t elements, ShadowType type, std::uint16_t module)
{
    parameter.module = module;
    parameter.place = static_cast<std::uint32_t>(m_parameters.size());
    m_parameters.push_back(&parameter);
    if (m_nothing.defined()) {
        parameter.tensor = m_nothing.viewOf(elements);
        m_graph.makeLeaf(parameter);
        return;
    }
    parameter.tensor = m_graph.fresh(elements, type);
    // A smaller one's draw takes no more than was there before.
    if (m_drawn && elements >= m_largest)
        m_graph.fresh(std::min(kDrawnPiece, elements), ShadowType::Float32);
    m_largest = std::max(m_largest, elements);
    m_graph.memory().tag(parameter.tensor.storage(), Component::Parameters, module);
    m_graph.makeLeaf(parameter);
}

void ShadowModel::store(ShadowParameter& parameter)
{
    const ParameterSpec& spec = specOf(parameter);
    if (!isQuantized(m_config, spec))
        return;
    const bool books = m_config.quantization != Quantization::Int8;
    if (books && m_scales.empty()) { // what all share: middles, pairs and the codes of nested scales
        for (const std::int64_t entries : {15, 512, 256, 255}) {
            m_scales.push_back(m_graph.fresh(entries, ShadowType::Float32));
            m_graph.memory().tag(m_scales.back().storage(), Component::Workspace);
        }
    }
    std::vector<ShadowTensor> stored = shadowQuantized(m_graph, m_config.quantization, spec.shape[0], spec.shape[1]);
    for (const ShadowTensor& each : stored)
        m_graph.memory().tag(each.storage(), Component::Parameters, parameter.module);
    const ShadowEdge edge = parameter.tensor.edge;
    parameter.tensor = std::move(stored.front());
    parameter.tensor.edge = edge;
    stored.erase(stored.begin());
    std::move(stored.begin(), stored.end(), std::back_inserter(m_scales));
}

void ShadowModel::setMemory(ShadowParameter& parameter, const ShadowTensor& memory)
{
    ShadowTensor view = memory.viewOf(parameter.tensor.elements());
    view.edge = parameter.tensor.edge;
    parameter.tensor = std::move(view);
}

Status ShadowModel::addAdapters(const LoraOptions& options)
{
    auto plan = adapterPlan(m_config, options);
    if (!plan)
        return plan.error();
    for (ShadowParameter* parameter : m_parameters) {
        parameter->trainable = false;
        parameter->tensor.edge = {};
    }
    for (const LinearShape& shape : plan->layers) {
        ShadowAdapter& adapter = m_adapters.emplace_back();
        adapter.rank = options.rank;
        const ShadowType type = shadowAdapterType(options, m_type);
        adapter.module = m_graph.memory().addModule({shape.name + ".lora", ModuleKind::Lora});
        make(adapter.down, options.rank * shape.in, type, adapter.module);
        make(adapter.up, shape.out * options.rank, type, adapter.module);
        if (ShadowLinear* linear = linearNamed(shape.name))
            linear->adapter = &adapter;
    }
    m_adapterSpecs = std::move(plan->specs);
    return Done{};
}

void ShadowModel::dropCasts()
{
    for (ShadowParameter* parameter : m_parameters)
        parameter->cast.reset();
}

ShadowTensor ShadowModel::hidden(ShadowContext& context, const ShadowTensor& tokens, bool checkpointing)
{
    const FamilyDescription& family = describe(m_config.family);
    context.causal = family.causal;
    context.capsLogits = m_config.logitCap > 0;
    if (context.causal && context.attention == AttentionKind::Math)
        context.mask = shadowCausalMask(context, false);
    if (!context.causal && context.padded)
        context.padding = context.fresh(context.tokens(), ShadowType::Bool);
    if (m_config.localWindowOver(context.sequence) > 0 && context.attention == AttentionKind::Math)
        context.localMask = shadowCausalMask(context, true);
    if (!m_config.learnedPositions())
        makeTables(context);
    if (m_hooks)
        m_hooks->enterForward(0);
    const std::size_t layers = m_begins.size() - 1;
    ShadowTensor x = leaveUnit(0, run(context, 0, m_begins.front(), tokens), false);
    for (std::size_t index = 0; index < layers; ++index)
        x = checkpointing ? checkpointed(context, index, x) : unitLayer(context, index, x, false);
    shadowCloseBalance(context);
    x = enterUnit(layers + 1, x);
    const std::size_t head = m_steps.size() - 1;
    return m_begins[layers] < head ? run(context, m_begins[layers], head, std::move(x)) : x;
}

// The operations [begin, end) on `start`, the value before them; each value dies with the operation that reads it last.
ShadowTensor ShadowModel::run(ShadowContext& context, std::size_t begin, std::size_t end, ShadowTensor start)
{
    std::vector<ShadowTensor> values(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
        std::array<ShadowTensor*, 3> in{&start}; // the embedding's: tokens
        const std::vector<std::size_t>& inputs = m_program.operations[i].inputs;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            in[k] = inputs[k] < begin ? &start : &values[inputs[k] - begin];
        {
            const ShadowModuleScope scope(m_graph.memory(), m_steps[i].module);
            values[i - begin] = valueOf(context, i, in);
        }
        for (std::size_t k = inputs.size(); k-- > 0;) {
            if (m_lastUse[inputs[k]] == i)
                in[k]->reset();
        }
    }
    return std::move(values.back());
}

ShadowTensor ShadowModel::valueOf(ShadowContext& context, std::size_t index, const std::array<ShadowTensor*, 3>& in)
{
    const Operation& operation = m_program.operations[index];
    Step& step = m_steps[index];
    switch (operation.kind) {
    case OperationKind::Embedding:
        return shadowEmbedding(context, m_owned[operation.parameters.front()], operation.width, *in[0]);
    case OperationKind::Position:
        return shadowAddPositions(context, m_owned[operation.parameters.front()],
                                  m_specs[operation.parameters.front()].shape[0], operation.width, *in[0]);
    case OperationKind::Linear:
        return shadowLinear(context, step.linear, *in[0]);
    case OperationKind::Norm:
        return shadowNorm(context, step.norm, *in[0]);
    case OperationKind::Activation:
        return shadowActivation(context, m_config.activation, *in[0]);
    case OperationKind::Add:
        return shadowAdd(context, *in[0], *in[1]);
    case OperationKind::Multiply:
        return shadowMultiply(context, *in[0], *in[1]);
    case OperationKind::Pick:
        if (operation.part == 0)
            m_parts = shadowSplit(context, *in[0], operation.sections);
        return std::move(m_parts[static_cast<std::size_t>(operation.part)]);
    case OperationKind::Copy:
        return shadowContiguous(context, *in[0]);
    case OperationKind::Rope:
        return shadowRotate(context, *in[0], operation.local ? context.localRope : context.rope, m_config.headDim,
                            m_config.rotatedWidth());
    case OperationKind::Attention: {
        ShadowHeads heads;
        heads.heads = m_config.heads;
        heads.kvHeads = m_config.kvHeads;
        heads.width = m_config.headDim;
        heads.ownScale = scaleRatio(operation.scale, m_config.headDim) != 1;
        heads.window = windowOver(operation.window, context.sequence);
        heads.capped = operation.cap > 0;
        if (!operation.parameters.empty())
            heads.sinks = &m_owned[operation.parameters.front()];
        heads.packed = m_program.operations[operation.inputs.front()].kind == OperationKind::Pick;
        const auto taken = [&](std::size_t k) {
            return m_lastUse[operation.inputs[k]] == index ? std::move(*in[k]) : *in[k];
        };
        return shadowAttention(context, taken(0), taken(1), taken(2), heads);
    }
    case OperationKind::Experts:
        return shadowExperts(context, step.experts, *in[0], *in[1]);
    case OperationKind::Scale:
        return shadowScale(context, *in[0]);
    case OperationKind::Head: // the loss's
        break;
    }
    return {};
}

ShadowTensor ShadowModel::loss(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels,
                               bool denominator)
{
    const ShadowModuleScope scope(m_graph.memory(), m_steps.back().module);
    return shadowLoss(context, hidden, head(), m_config.embedDim, m_config.vocab, labels, denominator);
}

ShadowTensor ShadowModel::sampleLosses(ShadowContext& context, const ShadowTensor& hidden, const ShadowTensor& labels)
{
    const ShadowModuleScope scope(m_graph.memory(), m_steps.back().module);
    return shadowSampleLosses(context, hidden, head(), m_config.embedDim, m_config.vocab, labels);
}

void ShadowModel::makeTables(ShadowContext& context)
{
    const std::int64_t cells = context.sequence * (m_config.rotatedWidth() / 2);
    const ShadowType stored = wideType(m_type);
    const auto table = [&] {
        const ShadowTensor turned = context.fresh(cells, ShadowType::Float64);
        ShadowTensor scaled = context.fresh(cells, ShadowType::Float64);
        return stored == ShadowType::Float64 ? scaled : context.fresh(cells, stored);
    };
    const auto tables = [&] {
        const ShadowTensor angles = context.fresh(cells, ShadowType::Float64);
        ShadowTensor cos = table();
        return ShadowTables{std::move(cos), table()};
    };
    context.rope = tables();
    if (m_config.hasLocalRope())
        context.localRope = tables();
}

// The engine's whenBackwardPasses: a view whose node runs `action` before the gradient passes on.
ShadowTensor ShadowModel::border(const ShadowTensor& x, std::function<void()> action)
{
    ShadowTensor out = x;
    m_graph.record(out, {&x}, {}, [action = std::move(action)](ShadowBackward& call) {
        action();
        call.out[0] = std::move(call.in[0]);
    });
    return out;
}

ShadowTensor ShadowModel::enterUnit(std::size_t unit, const ShadowTensor& x)
{
    if (!m_hooks)
        return x;
    m_hooks->enterForward(unit);
    return border(x, [this, unit] { m_hooks->leaveBackward(unit); });
}

ShadowTensor ShadowModel::leaveUnit(std::size_t unit, const ShadowTensor& x, bool keep)
{
    if (!m_hooks)
        return x;
    if (!keep)
        m_hooks->leaveForward(unit);
    return border(x, [this, unit] { m_hooks->enterBackward(unit); });
}

ShadowTensor ShadowModel::unitLayer(ShadowContext& context, std::size_t index, const ShadowTensor& x, bool keep)
{
    const ShadowTensor start = enterUnit(index + 1, x);
    return leaveUnit(index + 1, run(context, m_begins[index], m_begins[index + 1], start), keep);
}

ShadowTensor ShadowModel::checkpointed(ShadowContext& context, std::size_t index, const ShadowTensor& x)
{
    ShadowGraph& graph = m_graph;
    const bool cache = context.castCache;
    ShadowTensor out;
    {
        graph.setGradientMode(false);
        context.castCache = false;
        out = unitLayer(context, index, x, false);
        context.castCache = cache;
        graph.setGradientMode(true);
    }
    // Recorded even where the input needs no gradient: the layer's parameters may.
    const bool wantsInput = x.needsGradient();
    if (!wantsInput)
        graph.hold(x.detached()); // it became a leaf of its own
    auto backward = [this, &context, index, &graph, wantsInput](ShadowBackward& call) {
        ShadowTensor caught;
        ShadowTensor recomputed;
        {
            const std::uint32_t work = graph.memory().openWork(ShadowWork::Recompute);
            const bool former = context.castCache;
            graph.setGradientMode(true);
            context.castCache = false;
            ShadowTensor input = call.saved[0];
            ShadowTensor* target = &caught;
            if (wantsInput)
                graph.recordAlways(input, {}, {}, [target](ShadowBackward& inner) { *target = inner.in[0]; });
            recomputed = unitLayer(context, index, input, true);
            context.castCache = former;
            graph.setGradientMode(false);
            graph.memory().closeWork(work);
        }
        graph.backward(recomputed, call.in[0]);
        call.out[0] = std::move(caught);
    };
    graph.recordAlways(out, {&x}, {x}, std::move(backward));
    return out;
}

} // namespace peakscope
