// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sharding/parameter_shards.h"

#include "core/engine/ledger/ledger.h"
#include "core/engine/sharding/flat_row.h"
#include "core/engine/model/gradient_norm.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

struct ParameterShards::Row {
    ShardGroup group;
    std::int64_t share = 0;  // elements of one rank
    std::int64_t padded = 0; // of all ranks
    at::Tensor flat;         // [padded]; under zero3 it has memory only while gathered
    at::Tensor shard;        // [share], this rank's
    at::Tensor sum;          // [padded], of gradients, under way
    at::Tensor gradient;     // [share], what was summed over ranks so far in this step
    BegunCollective gathering, summing;
    std::size_t optimised = 0; // where its shard stands among those the optimiser steps on
    std::vector<Parameter*> members;
};

Result<std::unique_ptr<ParameterShards>> ParameterShards::create(const Experiment& experiment, Communicator& ranks)
{
    auto groups = shardedGroups(experiment);
    if (!groups)
        return groups.error();
    return std::unique_ptr<ParameterShards>(new ParameterShards(experiment, std::move(*groups), ranks));
}

ParameterShards::ParameterShards(const Experiment& experiment, std::vector<ShardGroup> groups, Communicator& ranks)
    : m_ranks(ranks), m_stage(experiment.training.sharding), m_schedule(m_stage, experiment.model.config, groups, *this)
{
    for (ShardGroup& group : groups) {
        auto row = std::make_unique<Row>();
        row->share = group.share(ranks.size());
        row->padded = group.padded(ranks.size());
        for (std::size_t i = 0; i < group.parameters.size(); ++i)
            m_slots[group.parameters[i].name] = {row.get(), group.offsets[i]};
        row->group = std::move(group);
        m_rows.push_back(std::move(row));
    }
}

ParameterShards::~ParameterShards() = default;

ParameterShards::Slot ParameterShards::slotOf(const ParameterSpec& spec) const
{
    const auto found = m_slots.find(spec.name);
    return found == m_slots.end() ? Slot{} : found->second;
}

void ParameterShards::allocate(Row& row, const at::TensorOptions& options)
{
    const auto bare = at::TensorOptions().dtype(options.dtype()).device(options.device());
    if (m_stage == Sharding::Zero3) {
        row.shard = at::zeros({row.share}, bare);
        tagStorage(row.shard, Component::Parameters);
        row.flat = flatWithoutMemory(bare, row.padded);
        return;
    }
    row.flat = at::empty({row.padded}, bare);
    tagStorage(row.flat, Component::Parameters);
    if (row.padded > row.group.elements)
        row.flat.narrow(0, row.group.elements, row.padded - row.group.elements).zero_();
    row.shard = row.flat.narrow(0, m_ranks.rank() * row.share, row.share);
}

at::Tensor ParameterShards::place(const ParameterSpec& spec, const at::TensorOptions& options)
{
    const Slot slot = slotOf(spec);
    if (!slot.row)
        return at::empty(spec.shape, options);
    if (!slot.row->flat.defined())
        allocate(*slot.row, options);
    if (m_stage == Sharding::Zero3)
        return at::empty(spec.shape, slot.row->shard.options());
    return slot.row->flat.narrow(0, slot.offset, spec.count()).view(spec.shape);
}

at::Tensor ParameterShards::open(const Parameter& parameter)
{
    const Slot slot = slotOf(parameter.spec);
    if (!slot.row || m_stage != Sharding::Zero3)
        return parameter.tensor;
    at::Tensor values = at::empty(parameter.spec.shape, slot.row->shard.options());
    tagStorage(values, Component::Parameters);
    return values;
}

void ParameterShards::close(Parameter& parameter, const at::Tensor& values)
{
    const Slot slot = slotOf(parameter.spec);
    if (!slot.row || m_stage != Sharding::Zero3)
        return;
    const at::NoGradGuard guard;
    if (const Overlap own = overlap(slot, 0, values.numel()); own.count > 0) {
        slot.row->shard.narrow(0, own.inShard, own.count).copy_(values.view({-1}).narrow(0, own.inValues, own.count));
    }
    if (parameter.tensor.is_same(values)) // new: from now on a view of the row
        parameter.tensor.set_data(tensorOver(slot.row->flat, slot.offset, parameter.spec.shape));
}

ParameterShards::Overlap ParameterShards::overlap(const Slot& slot, std::int64_t first, std::int64_t count) const
{
    const std::int64_t shard = m_ranks.rank() * slot.row->share; // where it begins in the row
    const std::int64_t values = slot.offset + first;
    const std::int64_t begin = std::max(shard, values);
    const std::int64_t end = std::min(shard + slot.row->share, values + count);
    return {begin - values, begin - shard, std::max<std::int64_t>(0, end - begin)};
}

std::vector<ShardRow> ParameterShards::trainedRows() const
{
    std::vector<ShardRow> rows;
    for (const auto& row : m_rows) {
        if (row->group.trained)
            rows.push_back({&row->group, row->share, row->padded});
    }
    return rows;
}

void ParameterShards::tellModules(Model& model) const
{
    for (const Parameter& parameter : model.parameters()) {
        const Slot slot = slotOf(parameter.spec);
        if (!slot.row)
            continue;
        const std::int64_t count = parameter.spec.count();
        const std::int64_t own = m_stage == Sharding::Zero3 ? overlap(slot, 0, count).count : count;
        Ledger::instance().addShared(parameter.module, own * static_cast<std::int64_t>(slot.row->shard.element_size()));
    }
}

void ParameterShards::attach(Model& model)
{
    m_model = &model;
    for (Parameter& parameter : model.parameters()) {
        if (const Slot slot = slotOf(parameter.spec); slot.row)
            slot.row->members.push_back(&parameter);
    }
    for (const auto& row : m_rows) {
        if (!row->group.trained)
            continue;
        Parameter shard;
        shard.spec.name = "shard of unit " + std::to_string(row->group.unit);
        shard.spec.shape = {row->share};
        shard.tensor = row->shard.detach().set_requires_grad(true);
        row->optimised = m_optimised.size();
        m_optimised.push_back(std::move(shard));
    }
    if (m_ranks.device())
        m_schedule.overlap();
    if (m_stage == Sharding::Zero2 || m_stage == Sharding::Zero3)
        model.setHooks(this);
}

std::vector<Parameter>& ParameterShards::optimised()
{
    return m_stage == Sharding::None ? m_model->parameters() : m_optimised;
}

void ParameterShards::gather(std::size_t number)
{
    Row& row = *m_rows[number];
    const at::NoGradGuard guard;
    giveMemory(row.flat, row.padded, Component::Communication);
    row.gathering = beginAllGather(m_ranks, row.shard, row.flat);
}

void ParameterShards::await(std::size_t number)
{
    m_rows[number]->gathering.await();
}

void ParameterShards::release(std::size_t number)
{
    await(number); // what was fetched ahead and not used may still be written to
    takeMemory(m_rows[number]->flat);
}

bool ParameterShards::reduce(std::size_t number)
{
    Row& row = *m_rows[number];
    bool any = false;
    for (const Parameter* member : row.members)
        any = any || member->tensor.grad().defined();
    if (!any)
        return false; // on every rank: they all run the same graph
    const at::NoGradGuard guard;
    row.sum = at::empty({row.padded}, row.shard.options().dtype(sumType(row.shard.scalar_type())));
    tagStorage(row.sum, Component::Communication);
    if (row.padded > row.group.elements)
        row.sum.narrow(0, row.group.elements, row.padded - row.group.elements).zero_();
    for (std::size_t i = 0; i < row.members.size(); ++i) {
        at::Tensor& gradient = row.members[i]->tensor.mutable_grad();
        const ParameterSpec& spec = row.members[i]->spec;
        const at::Tensor part = row.sum.narrow(0, slotOf(spec).offset, spec.count()).view(spec.shape);
        if (gradient.defined())
            part.copy_(gradient);
        else
            part.zero_();
        gradient.reset();
    }
    row.summing = beginReduceScatterSum(m_ranks, row.sum);
    return true;
}

void ParameterShards::settle(std::size_t number)
{
    Row& row = *m_rows[number];
    const at::NoGradGuard guard;
    row.summing.await();
    const at::Tensor sum = std::exchange(row.sum, {});
    const at::Tensor own = ownBlock(m_ranks, sum);
    if (row.gradient.defined()) {
        row.gradient.add_(own);
        return;
    }
    row.gradient = at::empty({row.share}, row.shard.options());
    tagStorage(row.gradient, Component::Gradients);
    row.gradient.copy_(own);
}

void ParameterShards::finishStep()
{
    if (m_stage == Sharding::None) {
        for (Parameter& parameter : m_model->parameters()) {
            if (parameter.tensor.grad().defined())
                allReduceSum(m_ranks, parameter.tensor.grad());
        }
        return;
    }
    m_schedule.finishStep();
    for (const auto& row : m_rows) {
        if (row->group.trained)
            m_optimised[row->optimised].tensor.mutable_grad() = std::move(row->gradient);
        row->gradient.reset();
    }
}

void ParameterShards::fillGradients()
{
    for (Parameter& shard : m_optimised) {
        at::Tensor& gradient = shard.tensor.mutable_grad();
        if (gradient.defined())
            continue;
        gradient = at::zeros_like(shard.tensor);
        tagStorage(gradient, Component::Gradients);
    }
}

void ParameterShards::addToGradient(const Parameter& parameter, std::int64_t first, const at::Tensor& values)
{
    const Slot slot = slotOf(parameter.spec);
    const Overlap own = overlap(slot, first, values.numel());
    if (own.count == 0)
        return;
    const at::Tensor& gradient = m_optimised[slot.row->optimised].tensor.grad();
    gradient.narrow(0, own.inShard, own.count).add_(values.narrow(0, own.inValues, own.count).to(gradient.device()));
}

void ParameterShards::spreadParameters()
{
    if (m_stage != Sharding::Zero1 && m_stage != Sharding::Zero2)
        return;
    const at::NoGradGuard guard;
    for (const auto& row : m_rows)
        allGather(m_ranks, row->shard, row->flat);
}

double ParameterShards::gradientNorm() const
{
    if (m_stage == Sharding::None)
        return peakscope::gradientNorm(m_model->parameters());
    const double own = peakscope::gradientNorm(m_optimised);
    return std::sqrt(sum(own * own));
}

std::vector<double> ParameterShards::ofAllRows(const std::vector<double>& own, std::int64_t rowsOfStep) const
{
    const RowShare share = rowShare(rowsOfStep, m_ranks.rank(), m_ranks.size());
    std::vector<double> all(static_cast<std::size_t>(rowsOfStep));
    std::copy(own.begin(), own.end(), all.begin() + share.first);
    m_ranks.allReduceSum(all.data(), rowsOfStep, NumberKind::Float64);
    return all;
}

double ParameterShards::sum(double value) const
{
    m_ranks.allReduceSum(&value, 1, NumberKind::Float64);
    return value;
}

} // namespace peakscope
