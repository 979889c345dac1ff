// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sharding/parameter_shards.h"

#include "core/engine/ledger/ledger.h"
#include "core/engine/sharding/flat_row.h"
#include "core/engine/sharding/row_parts.h"
#include "core/engine/model/gradient_norm.h"
#include "core/engine/model/scalar_type.h"

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
    std::int64_t share = 0;        // elements of one rank
    std::int64_t padded = 0;       // of all ranks
    at::Tensor flat;               // [padded], rank by rank; where parameters are divided it has memory while gathered
    std::vector<at::Tensor> whole; // by rows: the parameters, with memory while gathered; `flat` is on the way only
    at::Tensor shard;              // [share], this rank's
    at::Tensor sum;                // [padded], of gradients, under way
    at::Tensor scattered;          // [share], this rank's part of it
    at::Tensor gradient;           // [share], what was summed over ranks so far in this step
    BegunCollective gathering, summing;
    bool arriving = false;                // gathered and not yet copied out
    std::vector<std::size_t> optimised;   // where what the optimiser steps on stands among all of it
    std::vector<ShardPart> optimisedPart; // of the shard
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
    : m_ranks(ranks), m_stage(experiment.training.sharding), m_shardType(scalarTypeOf(experiment.dtype)),
      m_sumType(scalarTypeOf(reduceDtype(experiment))), m_schedule(experiment, groups, *this)
{
    for (ShardGroup& group : groups) {
        auto row = std::make_unique<Row>();
        row->share = group.share(ranks.size());
        row->padded = group.padded(ranks.size());
        for (std::size_t i = 0; i < group.parameters.size(); ++i)
            m_slots[group.parameters[i].name] = {row.get(), i};
        row->group = std::move(group);
        m_rows.push_back(std::move(row));
    }
}

// Where a step ended early, what is under way still reads and writes the rows.
ParameterShards::~ParameterShards()
{
    for (const auto& row : m_rows) {
        try {
            row->gathering.await();
            row->summing.await();
        } catch (const RankFailure&) {
        }
    }
}

ParameterShards::Slot ParameterShards::slotOf(const ParameterSpec& spec) const
{
    const auto found = m_slots.find(spec.name);
    return found == m_slots.end() ? Slot{} : found->second;
}

ShardPart ParameterShards::partOf(const Slot& slot) const
{
    return slot.row->group.part(slot.index, m_ranks.rank(), m_ranks.size());
}

void ParameterShards::allocate(Row& row, const at::TensorOptions& options)
{
    const auto bare = at::TensorOptions().dtype(options.dtype()).device(options.device());
    if (shardsParameters()) {
        row.shard = at::zeros({row.share}, row.group.byRows ? bare.dtype(m_shardType) : bare);
        tagStorage(row.shard, Component::Parameters);
        row.flat = flatWithoutMemory(bare, row.padded);
        if (row.group.byRows)
            row.whole = wholeParameters(row.group, m_ranks.size(), bare);
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
    if (shardsParameters())
        return at::empty(spec.shape, slot.row->shard.options());
    return slot.row->flat.narrow(0, slot.row->group.offsets[slot.index], spec.count()).view(spec.shape);
}

at::Tensor ParameterShards::open(const Parameter& parameter)
{
    const Slot slot = slotOf(parameter.spec);
    if (!slot.row || !shardsParameters())
        return parameter.tensor;
    at::Tensor values = at::empty(parameter.spec.shape, slot.row->shard.options());
    tagStorage(values, Component::Parameters);
    return values;
}

void ParameterShards::close(Parameter& parameter, const at::Tensor& values)
{
    const Slot slot = slotOf(parameter.spec);
    if (!slot.row || !shardsParameters())
        return;
    const at::NoGradGuard guard;
    if (const Overlap own = overlap(slot, 0, values.numel()); own.count > 0) {
        slot.row->shard.narrow(0, own.inShard, own.count).copy_(values.view({-1}).narrow(0, own.inValues, own.count));
    }
    if (!parameter.tensor.is_same(values))
        return; // else it is new: from now on a view of what is gathered
    const Row& row = *slot.row;
    parameter.tensor.set_data(row.group.byRows
                                  ? tensorOver(row.whole[slot.index], 0, parameter.spec.shape)
                                  : tensorOver(row.flat, row.group.offsets[slot.index], parameter.spec.shape));
}

ParameterShards::Overlap ParameterShards::overlap(const Slot& slot, std::int64_t first, std::int64_t count) const
{
    const ShardPart own = partOf(slot);
    const std::int64_t begin = std::max(first, own.first);
    const std::int64_t end = std::min(first + count, own.first + own.count);
    return {begin - first, own.inShard + begin - own.first, std::max<std::int64_t>(0, end - begin)};
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
        const std::int64_t own = shardsParameters() ? partOf(slot).count : count;
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
        if (row->group.trained)
            makeOptimised(*row);
    }
    if (m_ranks.device())
        m_schedule.overlap();
    if (m_stage == Sharding::Zero2 || shardsParameters())
        model.setHooks(this);
}

// The shard as one, or this rank's rows of each parameter.
void ParameterShards::makeOptimised(Row& row)
{
    const auto add = [&](ParameterSpec spec, const ShardPart& part) {
        Parameter own;
        own.tensor = row.shard.narrow(0, part.inShard, part.count).view(spec.shape).detach().set_requires_grad(true);
        own.spec = std::move(spec);
        row.optimised.push_back(m_optimised.size());
        row.optimisedPart.push_back(part);
        m_optimised.push_back(std::move(own));
    };
    if (!row.group.byRows) {
        ParameterSpec shard;
        shard.name = "shard of unit " + std::to_string(row.group.unit);
        shard.shape = {row.share};
        add(std::move(shard), {0, row.share, 0});
        return;
    }
    for (std::size_t i = 0; i < row.group.parameters.size(); ++i) {
        ParameterSpec spec = row.group.parameters[i];
        const ShardPart part = row.group.part(i, m_ranks.rank(), m_ranks.size());
        spec.shape.front() = part.count / (spec.count() / spec.shape.front());
        if (part.count > 0)
            add(std::move(spec), part);
    }
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
    if (!row.group.byRows) {
        row.gathering = beginAllGather(m_ranks, row.shard, row.flat);
        return;
    }
    const at::Tensor own = ownBlock(m_ranks, row.flat);
    own.copy_(row.shard);
    row.gathering = beginAllGather(m_ranks, own, row.flat);
    row.arriving = true;
}

void ParameterShards::await(std::size_t number)
{
    Row& row = *m_rows[number];
    row.gathering.await();
    if (!std::exchange(row.arriving, false))
        return;
    const at::NoGradGuard guard;
    copyOut(row.group, m_ranks.size(), row.flat, row.whole);
    takeMemory(row.flat);
}

void ParameterShards::release(std::size_t number)
{
    Row& row = *m_rows[number];
    row.gathering.await(); // what was fetched ahead and not used may still be written to
    row.arriving = false;
    takeMemory(row.flat);
    for (const at::Tensor& parameter : row.whole)
        takeMemory(parameter);
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
    row.sum = at::empty({row.padded}, row.shard.options().dtype(m_sumType));
    tagStorage(row.sum, Component::Communication);
    if (!row.group.byRows && row.padded > row.group.elements)
        row.sum.narrow(0, row.group.elements, row.padded - row.group.elements).zero_();
    for (Parameter* member : row.members) {
        at::Tensor& gradient = member->tensor.mutable_grad();
        const Slot slot = slotOf(member->spec);
        if (row.group.byRows) {
            copyIn(row.group, slot.index, m_ranks.size(), gradient, row.sum);
        } else {
            const std::int64_t offset = row.group.offsets[slot.index];
            const at::Tensor part = row.sum.narrow(0, offset, member->spec.count()).view(member->spec.shape);
            if (gradient.defined())
                part.copy_(gradient);
            else
                part.zero_();
        }
        gradient.reset();
    }
    row.scattered = ownBlock(m_ranks, row.sum);
    if (row.group.byRows) { // as FSDP2's, which becomes the gradient
        row.scattered = at::empty({row.share}, row.sum.options());
        tagStorage(row.scattered, row.gradient.defined() ? Component::Communication : Component::Gradients);
    }
    row.summing = beginReduceScatterSum(m_ranks, row.sum, row.scattered);
    return true;
}

void ParameterShards::settle(std::size_t number)
{
    Row& row = *m_rows[number];
    const at::NoGradGuard guard;
    row.summing.await();
    const at::Tensor sum = std::exchange(row.sum, {});
    const at::Tensor own = std::exchange(row.scattered, {});
    if (row.gradient.defined()) {
        row.gradient.add_(own);
        return;
    }
    if (row.group.byRows && own.scalar_type() == row.shard.scalar_type()) {
        row.gradient = own;
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
        for (std::size_t i = 0; i < row->optimised.size() && row->gradient.defined(); ++i) {
            const at::Tensor& tensor = m_optimised[row->optimised[i]].tensor;
            const ShardPart& part = row->optimisedPart[i];
            tensor.mutable_grad() = row->gradient.narrow(0, part.inShard, part.count).view(tensor.sizes());
        }
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
    const Row& row = *slot.row;
    const auto holds = [&](const ShardPart& part) {
        return own.inShard >= part.inShard && own.inShard < part.inShard + part.count;
    };
    const auto found = std::ranges::find_if(row.optimisedPart, holds);
    const auto index = row.optimised[static_cast<std::size_t>(found - row.optimisedPart.begin())];
    const at::Tensor gradient = m_optimised[index].tensor.grad().view({-1});
    gradient.narrow(0, own.inShard - found->inShard, own.count)
        .add_(values.narrow(0, own.inValues, own.count).to(gradient.device()));
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
