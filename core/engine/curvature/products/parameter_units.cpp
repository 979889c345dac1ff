// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/parameter_units.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

namespace peakscope {
namespace {

std::string withoutEnd(const std::string& text, const std::string& end)
{
    const bool has = text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
    return has ? text.substr(0, text.size() - end.size()) : text;
}

// "model.layers.3.mlp.up_proj.weight" -> "model.layers.3.mlp."
std::string folderOf(const std::string& parameter)
{
    const std::string module = withoutEnd(withoutEnd(parameter, ".weight"), ".bias");
    const std::size_t dot = module.rfind('.');
    return dot == std::string::npos ? std::string() : module.substr(0, dot + 1);
}

// The name of the layer or, outside the layers, of the module that a tensor is part of.
std::string blockName(const ParameterSpec& spec)
{
    if (spec.layer < 0)
        return withoutEnd(withoutEnd(spec.name, ".weight"), ".bias");
    std::string number(1, '.');
    number.append(std::to_string(spec.layer)).append(1, '.');
    const std::size_t at = spec.name.find(number);
    return at == std::string::npos ? "layer " + std::to_string(spec.layer)
                                   : spec.name.substr(0, at + number.size() - 1);
}

} // namespace

ParameterUnits::ParameterUnits(const ParameterSpace& space, const Tape& tape, FeatureUnit unit) : m_space(space)
{
    // Linear layers by the start of their parameters' names.
    std::map<std::string, Projection> projections;
    for (const TapeLinear& linear : tape.linears()) {
        const std::string& weight = space.model().parameters()[linear.weight].spec.name;
        projections[withoutEnd(weight, ".weight")].transposed = linear.transposed;
    }
    const std::vector<Operation>& operations = space.model().program().operations;
    for (const Operation& operation : operations) {
        if (operation.inputs.empty())
            continue;
        const Operation& input = operations[operation.inputs.front()];
        const auto projection = [&](const Operation& linear) -> Projection& {
            const std::string& weight = space.model().parameters()[linear.parameters.front()].spec.name;
            return projections[withoutEnd(weight, ".weight")];
        };
        if (operation.kind == OperationKind::Linear && input.kind == OperationKind::Attention)
            projection(operation).joinsHeads = true;
        if (operation.kind == OperationKind::Pick && operation.groups == 1)
            projection(input).sections = operation.sections;
    }
    for (const SpaceTensor& tensor : space.tensors()) {
        const std::string module = withoutEnd(withoutEnd(tensor.spec.name, ".weight"), ".bias");
        const auto linear = projections.find(module);
        const bool isLinear = linear != projections.end();
        const bool table = tensor.spec.shape.size() == 2 && !isLinear;
        UnitSlices slices;
        if (unit == FeatureUnit::Block)
            slices.units = {named(blockName(tensor.spec), tensor)};
        else if (unit == FeatureUnit::Head && tensor.spec.kind == ModuleKind::Attention && isLinear)
            splitHeads(tensor, linear->second, slices);
        else if (unit == FeatureUnit::Row && (isLinear || table))
            splitRows(tensor, isLinear && linear->second.transposed, slices);
        else
            slices.units = {add(tensor.spec.name, tensor)};
        const std::int64_t share = tensor.count / static_cast<std::int64_t>(slices.units.size());
        for (const std::size_t own : slices.units)
            m_units[own].count += share;
        m_slices.push_back(std::move(slices));
    }
}

std::size_t ParameterUnits::add(const std::string& name, const SpaceTensor& tensor)
{
    m_units.push_back({name, tensor.spec.name, tensor.spec.kind, tensor.spec.layer, 0});
    return m_units.size() - 1;
}

std::size_t ParameterUnits::named(const std::string& name, const SpaceTensor& tensor)
{
    const auto [known, isNew] = m_byName.emplace(name, m_units.size());
    return isNew ? add(name, tensor) : known->second;
}

void ParameterUnits::splitHeads(const SpaceTensor& tensor, const Projection& projection, UnitSlices& slices)
{
    const ModelConfig& config = m_space.model().config();
    const std::string prefix = folderOf(tensor.spec.name);
    const auto head = [&](std::int64_t number) { return named(prefix + "head." + std::to_string(number), tensor); };
    const bool bias = tensor.spec.shape.size() == 1;
    if (projection.joinsHeads && bias) { // of all heads together
        slices.units = {add(tensor.spec.name, tensor)};
        return;
    }
    slices.dim = bias ? 0 : projection.joinsHeads != projection.transposed ? 1 : 0;
    std::vector<std::int64_t> sections = projection.sections;
    if (sections.empty())
        sections = {tensor.spec.shape[static_cast<std::size_t>(slices.dim)]};
    for (const std::int64_t section : sections) // a key head may have several query heads
        slices.chunk = std::gcd(slices.chunk, section / config.kvHeads);
    for (const std::int64_t section : sections) {
        for (std::int64_t i = 0; i < section / slices.chunk; ++i)
            slices.units.push_back(head(i * slices.chunk / (section / config.kvHeads)));
    }
}

void ParameterUnits::splitRows(const SpaceTensor& tensor, bool transposed, UnitSlices& slices)
{
    slices.dim = tensor.spec.shape.size() == 2 && transposed ? 1 : 0;
    slices.chunk = 1;
    const std::string module = withoutEnd(withoutEnd(tensor.spec.name, ".weight"), ".bias");
    const std::int64_t rows = tensor.spec.shape[static_cast<std::size_t>(slices.dim)];
    for (std::int64_t row = 0; row < rows; ++row)
        slices.units.push_back(named(module + "[" + std::to_string(row) + "]", tensor));
}

std::vector<double> ParameterUnits::sums(const at::Tensor& flat) const
{
    const std::vector<at::Tensor> views = m_space.views(flat);
    return sums(views, 0, views.size());
}

std::vector<double> ParameterUnits::sums(const std::vector<at::Tensor>& views, std::size_t begin, std::size_t end) const
{
    std::vector<double> sums(m_units.size(), 0.0);
    for (std::size_t i = begin; i < end; ++i) {
        const UnitSlices& own = m_slices[i];
        if (own.dim < 0) {
            sums[own.units.front()] += views[i].sum(at::kDouble).item<double>();
            continue;
        }
        const at::Tensor lines =
            views[i].transpose(0, own.dim).reshape({views[i].size(own.dim), -1}).sum(1, false, at::kDouble);
        const at::Tensor chunks = lines.view({-1, own.chunk}).sum(1).cpu();
        for (std::size_t c = 0; c < own.units.size(); ++c)
            sums[own.units[c]] += chunks.data_ptr<double>()[c];
    }
    return sums;
}

std::vector<ParameterUnits::Piece> ParameterUnits::pieces(std::size_t unit, const std::vector<at::Tensor>& views) const
{
    std::vector<Piece> found;
    for (std::size_t i = 0; i < m_slices.size(); ++i) {
        for (std::size_t c = 0; c < m_slices[i].units.size(); ++c) {
            if (m_slices[i].units[c] != unit)
                continue;
            found.push_back({i, m_slices[i].dim < 0
                                    ? views[i]
                                    : views[i].narrow(m_slices[i].dim, static_cast<std::int64_t>(c) * m_slices[i].chunk,
                                                      m_slices[i].chunk)});
        }
    }
    return found;
}

} // namespace peakscope
