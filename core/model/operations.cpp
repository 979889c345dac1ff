// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/operations.h"

#include "core/model/family.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace peakscope {

OperationList::OperationList(const ModelConfig& config, const std::vector<ParameterSpec>& parameters)
    : m_config(config), m_parameters(parameters)
{
    m_index.reserve(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i)
        m_index.emplace(parameters[i].name, i);
}

void OperationList::enterLayer(std::string_view prefix, std::int64_t index)
{
    m_layer = index;
    m_prefix = std::string(prefix) + "." + std::to_string(index) + ".";
}

void OperationList::leaveLayers()
{
    m_layer = m_config.layers;
    m_prefix.clear();
}

void OperationList::module(std::string_view name, ModuleKind kind)
{
    std::string whole = m_prefix + std::string(name);
    const std::int64_t layer = m_layer < m_config.layers ? m_layer : -1;
    m_module = m_program.modules.size();
    while (m_module > 0 && m_program.modules[m_module - 1].layer == layer) {
        if (m_program.modules[--m_module].name == whole)
            return; // it goes on
    }
    m_module = m_program.modules.size();
    m_program.modules.push_back({std::move(whole), kind, layer});
}

std::optional<std::size_t> OperationList::find(std::string_view name, std::string_view end) const
{
    std::string whole = m_prefix;
    whole.append(name).append(end);
    const auto found = m_index.find(whole);
    return found == m_index.end() ? std::nullopt : std::optional(found->second);
}

std::size_t OperationList::parameter(std::string_view name, std::string_view end) const
{
    const auto found = find(name, end);
    if (!found)
        throw std::logic_error("the model has no parameter " + m_prefix + std::string(name) + std::string(end));
    return *found;
}

OperationList::Value OperationList::add(OperationKind kind, std::vector<Value> inputs, std::int64_t width,
                                        std::vector<std::size_t> parameters)
{
    Operation operation;
    operation.kind = kind;
    operation.layer = m_layer;
    operation.module = m_module;
    operation.inputs = std::move(inputs);
    operation.parameters = std::move(parameters);
    operation.width = width;
    m_program.operations.push_back(std::move(operation));
    return m_program.operations.size() - 1;
}

OperationList::Value OperationList::embedding(std::string_view name)
{
    m_embedding = parameter(name, ".weight");
    return add(OperationKind::Embedding, {}, m_parameters[m_embedding].shape[1], {m_embedding});
}

OperationList::Value OperationList::positions(std::string_view name, Value x)
{
    return add(OperationKind::Position, {x}, width(x), {parameter(name, ".weight")});
}

OperationList::Value OperationList::linear(std::string_view name, Value x)
{
    std::vector<std::size_t> own{parameter(name, ".weight")};
    if (const auto bias = find(name, ".bias"))
        own.push_back(*bias);
    const ParameterSpec& weight = m_parameters[own[0]];
    const Value y = add(OperationKind::Linear, {x}, weight.shape[weight.transposed ? 1 : 0], std::move(own));
    m_program.operations[y].transposed = weight.transposed;
    if (const auto down = find(name, ".lora_A.weight"))
        m_program.operations[y].adapter = {*down, parameter(name, ".lora_B.weight")};
    return y;
}

OperationList::Value OperationList::norm(std::string_view name, Value x, bool centered, std::int64_t groups)
{
    module(name, ModuleKind::Norm);
    std::vector<std::size_t> own;
    for (const char* part : {".weight", ".bias"}) {
        if (const auto found = find(name, part))
            own.push_back(*found);
    }
    const Value y = add(OperationKind::Norm, {x}, width(x), std::move(own));
    m_program.operations[y].centered = centered;
    m_program.operations[y].shifted = describe(m_config.family).shiftedNorms;
    m_program.operations[y].groups = groups;
    return y;
}

OperationList::Value OperationList::activation(Value x)
{
    return add(OperationKind::Activation, {x}, width(x));
}

OperationList::Value OperationList::sum(Value a, Value b)
{
    return add(OperationKind::Add, {a, b}, width(a));
}

OperationList::Value OperationList::product(Value a, Value b)
{
    return add(OperationKind::Multiply, {a, b}, width(a));
}

std::vector<OperationList::Value> OperationList::split(Value x, std::int64_t groups, std::int64_t parts)
{
    return pick(x, groups, std::vector<std::int64_t>(static_cast<std::size_t>(parts), width(x) / (groups * parts)));
}

std::vector<OperationList::Value> OperationList::pick(Value x, std::int64_t groups,
                                                      const std::vector<std::int64_t>& sections)
{
    std::vector<Value> values;
    for (const std::int64_t section : sections) {
        const Value y = add(OperationKind::Pick, {x}, groups * section);
        m_program.operations[y].groups = groups;
        m_program.operations[y].sections = sections;
        m_program.operations[y].part = static_cast<std::int64_t>(values.size());
        values.push_back(y);
    }
    return values;
}

std::string ExpertParts::nameOf(std::int64_t expert, std::string_view part) const
{
    return std::string(prefix) + "." + std::to_string(expert) + "." + std::string(part);
}

OperationList::Value OperationList::experts(const ExpertParts& parts, Value x)
{
    const Value logits = linear(parts.router, x);
    std::vector<std::size_t> own, adapter;
    if (parts.fused) {
        for (const std::string_view part : {parts.gate, parts.down}) {
            const std::string name = std::string(parts.prefix) + "." + std::string(part);
            own.insert(own.end(), {parameter(name, ""), parameter(name, "_bias")});
        }
        return add(OperationKind::Experts, {x, logits}, width(x), std::move(own));
    }
    for (std::int64_t i = 0; i < m_config.experts; ++i) {
        for (const std::string_view part : {parts.gate, parts.up, parts.down}) {
            const std::string name = parts.nameOf(i, part);
            own.push_back(parameter(name, ".weight"));
            if (const auto down = find(name, ".lora_A.weight"))
                adapter.insert(adapter.end(), {*down, parameter(name, ".lora_B.weight")});
        }
    }
    const Value y = add(OperationKind::Experts, {x, logits}, width(x), std::move(own));
    m_program.operations[y].adapter = std::move(adapter);
    return y;
}

OperationList::Value OperationList::copy(Value x)
{
    return add(OperationKind::Copy, {x}, width(x));
}

OperationList::Value OperationList::scaled(Value x, double factor)
{
    const Value y = add(OperationKind::Scale, {x}, width(x));
    m_program.operations[y].scale = factor;
    return y;
}

OperationList::Value OperationList::rope(Value x, std::int64_t heads)
{
    if (!m_config.turns(m_layer))
        return x;
    const Value y = add(OperationKind::Rope, {x}, width(x));
    m_program.operations[y].heads = heads;
    m_program.operations[y].local = m_config.localRopeTheta > 0 && m_config.isLocal(m_layer);
    return y;
}

OperationList::Value OperationList::attention(Value q, Value k, Value v, const AttentionForm& form)
{
    std::vector<std::size_t> own;
    if (!form.sinks.empty())
        own.push_back(parameter(form.sinks, ""));
    const Value y = add(OperationKind::Attention, {q, k, v}, m_config.heads * m_config.headDim, std::move(own));
    const std::int64_t width = m_config.queryScalar > 0 ? m_config.queryScalar : m_config.headDim;
    m_program.operations[y].scale = form.scale.value_or(1 / std::sqrt(static_cast<double>(width)));
    m_program.operations[y].causal = describe(m_config.family).causal;
    m_program.operations[y].window = m_config.isLocal(m_layer) ? m_config.localWindow : 0;
    m_program.operations[y].cap = m_config.scoreCap;
    return y;
}

void OperationList::head(std::string_view name, Value x)
{
    const Value y = add(OperationKind::Head, {x}, 1, {m_config.tied ? m_embedding : parameter(name, ".weight")});
    m_program.operations[y].cap = m_config.logitCap;
}

ModelProgram modelProgram(const ModelConfig& config, const std::vector<ParameterSpec>& parameters)
{
    const FamilyDescription& family = describe(config.family);
    const DecoderFrame& frame = family.frame;
    const bool projected = config.embedDim != config.hidden;
    OperationList list(config, parameters);
    list.module(frame.tokens, ModuleKind::Embedding);
    OperationList::Value x = list.embedding(frame.tokens);
    if (family.scaledEmbeddings) // the library has the factor in float32
        x = list.scaled(x, static_cast<float>(std::sqrt(static_cast<double>(config.hidden))));
    if (projected)
        x = list.linear(frame.projectIn, x);
    if (!frame.positions.empty())
        x = list.positions(frame.positions, x);
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        list.enterLayer(frame.layers, layer);
        x = family.layer(list, config, x);
    }
    list.leaveLayers();
    if (config.finalNorm)
        x = frame.centered ? list.layerNorm(frame.finalNorm, x) : list.rmsNorm(frame.finalNorm, x);
    list.module(frame.head, ModuleKind::Head);
    if (projected)
        x = list.linear(frame.projectOut, x);
    list.head(frame.head, x);
    return list.take();
}

std::vector<Operation> tapeLayout(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                                  double adapterScale)
{
    std::vector<Operation> layout;
    std::vector<std::size_t> places; // of the program's values in the layout
    const auto append = [&layout](Operation operation) {
        layout.push_back(std::move(operation));
        return layout.size() - 1;
    };
    for (Operation& operation : modelProgram(config, parameters).operations) {
        for (std::size_t& input : operation.inputs)
            input = places[input];
        if (operation.kind == OperationKind::Copy) {
            places.push_back(operation.inputs.front());
            continue;
        }
        if (operation.kind == OperationKind::Experts) { // differentiated as a whole
            places.push_back(append(std::move(operation)));
            continue;
        }
        const std::vector<std::size_t> adapter = std::exchange(operation.adapter, {});
        Operation part = operation;
        places.push_back(append(std::move(operation)));
        if (adapter.empty())
            continue;
        part.transposed = false;
        for (const std::size_t matrix : adapter) {
            part.parameters = {matrix};
            part.width = parameters[matrix].shape[0];
            part.inputs = {append(part)};
        }
        part.parameters.clear();
        part.kind = OperationKind::Scale;
        part.scale = adapterScale;
        part.inputs = {places.back(), append(part)};
        part.kind = OperationKind::Add;
        part.scale = 1;
        places.back() = append(part);
    }
    return layout;
}

bool keepsInputs(OperationKind kind)
{
    return kind == OperationKind::Linear || kind == OperationKind::Multiply || kind == OperationKind::Activation ||
           kind == OperationKind::Attention || kind == OperationKind::Experts || kind == OperationKind::Head;
}

bool keepsInputTangents(OperationKind kind)
{
    return keepsInputs(kind) || kind == OperationKind::Norm;
}

double scaleRatio(double scale, std::int64_t width)
{
    const double ratio = scale * std::sqrt(static_cast<double>(width));
    return std::abs(ratio - 1) > 1e-15 ? ratio : 1;
}

std::vector<std::size_t> lastUses(const std::vector<Operation>& operations)
{
    std::vector<std::size_t> last(operations.size(), 0);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        for (const std::size_t input : operations[i].inputs)
            last[input] = i;
    }
    return last;
}

} // namespace peakscope
