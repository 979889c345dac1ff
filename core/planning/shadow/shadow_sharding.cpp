// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_sharding.h"

#include "core/model/work_pieces.h"

#include <algorithm>

namespace peakscope {

Result<std::unique_ptr<ShadowSharding>> ShadowSharding::create(const Experiment& experiment, std::int64_t ranks,
                                                               ShadowGraph& graph, bool cuda)
{
    auto groups = shardedGroups(experiment);
    if (!groups)
        return groups.error();
    return std::unique_ptr<ShadowSharding>(new ShadowSharding(experiment, std::move(*groups), ranks, graph, cuda));
}

ShadowSharding::ShadowSharding(const Experiment& experiment, std::vector<ShardGroup> groups, std::int64_t ranks,
                               ShadowGraph& graph, bool cuda)
    : m_experiment(experiment), m_ranks(ranks), m_graph(graph), m_cuda(cuda), m_stage(experiment.training.sharding),
      m_type(shadowType(experiment.dtype)), m_units(shardUnitCount(experiment.model.config.layers)),
      m_schedule(m_stage, experiment.model.config, groups, *this)
{
    for (ShardGroup& group : groups) {
        Row& row = m_rows.emplace_back();
        row.share = group.share(ranks);
        row.padded = group.padded(ranks);
        row.group = std::move(group);
        row.type = typeOf(row.group.parameters.front());
        for (const ParameterSpec& spec : row.group.parameters)
            m_rowOfName.emplace(spec.name, &row);
    }
}

ShadowType ShadowSharding::typeOf(const ParameterSpec& spec) const
{
    return spec.kind == ModuleKind::Lora ? shadowAdapterType(m_experiment.training.lora, m_type) : m_type;
}

ShadowSharding::Row* ShadowSharding::rowOf(const ParameterSpec& spec)
{
    const auto found = m_rowOfName.find(spec.name);
    return found == m_rowOfName.end() ? nullptr : found->second;
}

void ShadowSharding::allocate(Row& row)
{
    // The name says which layer it is, where it is one.
    const bool outside = row.group.unit == 0 || row.group.unit + 1 == m_units;
    std::string unit = outside ? "outside" : "unit." + std::to_string(row.group.unit - 1);
    row.module = m_graph.memory().addModule({std::move(unit), ModuleKind::Mlp, /*listed=*/false});
    row.memory = m_graph.fresh(wholeRows() ? row.padded : row.share, row.type);
    m_graph.memory().tag(row.memory.storage(), Component::Parameters, row.module);
    row.shard = row.memory.viewOf(row.share);
}

// Memory for all of the parameter's numbers; under zero3 for as long as they are made.
ShadowTensor ShadowSharding::place(const ParameterSpec& spec, ShadowParameter& parameter)
{
    Row* row = rowOf(spec);
    if (row != nullptr) {
        if (!row->memory.defined())
            allocate(*row);
        row->members.push_back(&parameter);
        const std::int64_t ranks = wholeRows() ? 1 : m_ranks;
        m_graph.memory().addShared(parameter.module, (spec.count() + ranks - 1) / ranks * bytesOf(row->type));
        if (wholeRows())
            return row->memory;
    }
    ShadowTensor values = m_graph.fresh(spec.count(), typeOf(spec));
    m_graph.memory().tag(values.storage(), Component::Parameters, row != nullptr ? row->module : parameter.module);
    return values;
}

void ShadowSharding::draw(const ParameterSpec& spec)
{
    if (!m_experiment.pretrained && spec.initializer == Initializer::Normal)
        m_graph.fresh(std::min(kDrawnPiece, spec.count()), ShadowType::Float32);
}

void ShadowSharding::placeParameters(ShadowModel& model)
{
    for (ShadowParameter* parameter : model.parameters()) {
        const ParameterSpec& spec = model.specOf(*parameter);
        const ShadowTensor values = place(spec, *parameter);
        draw(spec);
        const Row* row = rowOf(spec);
        ShadowModel::setMemory(*parameter, row != nullptr && !wholeRows() ? row->memory : values);
        model.store(*parameter);
    }
    if (!m_experiment.pretrained || wholeRows())
        return;
    for (const ShadowParameter* parameter : model.parameters()) { // each once more, to be loaded into
        const ParameterSpec& spec = model.specOf(*parameter);
        const ShadowTensor values = m_graph.fresh(spec.count(), m_type);
        m_graph.memory().tag(values.storage(), Component::Parameters, rowOf(spec)->module);
    }
}

void ShadowSharding::placeAdapters(ShadowModel& model)
{
    ShadowTensor down; // both are there before the first is drawn, whole
    std::int64_t drawn = 0;
    for (ShadowParameter* parameter : model.parameters()) {
        if (!parameter->trainable)
            continue;
        const ParameterSpec& spec = model.specOf(*parameter);
        ShadowTensor values = place(spec, *parameter);
        const Row* row = rowOf(spec);
        ShadowModel::setMemory(*parameter, row != nullptr && !wholeRows() ? row->memory : values);
        if (!down.defined()) {
            down = std::move(values);
            drawn = spec.count();
            continue;
        }
        m_graph.fresh(drawn, ShadowType::Float32);
        down.reset();
    }
}

void ShadowSharding::attach(ShadowModel& model)
{
    m_model = &model;
    if (m_cuda)
        m_schedule.overlap();
    if (m_stage == Sharding::Zero2 || m_stage == Sharding::Zero3)
        model.setHooks(this);
}

void ShadowSharding::gather(std::size_t number)
{
    Row& row = m_rows[number];
    row.gathered = m_graph.fresh(row.padded, row.type);
    m_graph.memory().tag(row.gathered.storage(), Component::Communication, row.module);
    m_communication.allGather.add(row.padded * bytesOf(row.type));
}

bool ShadowSharding::reduce(std::size_t number)
{
    Row& row = m_rows[number];
    const bool any = std::any_of(row.members.begin(), row.members.end(),
                                 [](const ShadowParameter* member) { return member->gradient.defined(); });
    if (!any)
        return false;
    const ShadowType sumType = wideType(row.type);
    row.sum = m_graph.fresh(row.padded, sumType);
    m_graph.memory().tag(row.sum.storage(), Component::Communication, row.module);
    m_communication.reduceScatter.add(row.padded * bytesOf(sumType));
    for (ShadowParameter* member : row.members)
        member->gradient.reset();
    return true;
}

void ShadowSharding::settle(std::size_t number)
{
    Row& row = m_rows[number];
    const ShadowTensor sum = std::move(row.sum); // released when the gradient has it
    if (row.gradient.defined()) {
        const ShadowType sumType = wideType(row.type);
        if (sumType != row.type && !m_cuda) { // added in the sum's type: the operand and the result are copies
            const ShadowTensor operand = m_graph.fresh(row.share, sumType);
            const ShadowTensor result = m_graph.fresh(row.share, sumType);
        }
        return;
    }
    row.gradient = m_graph.fresh(row.share, row.type);
    m_graph.memory().tag(row.gradient.storage(), Component::Gradients, row.module);
}

void ShadowSharding::finishStep()
{
    m_communication.allReduce.add(sizeof(double)); // the loss
    if (m_hold)                                    // a clipped step's norms of all rows
        m_communication.allReduce.add(m_experiment.data.batch * static_cast<std::int64_t>(sizeof(double)));
    m_schedule.finishStep();
    if (m_stage != Sharding::None)
        return;
    for (const ShadowParameter* parameter : m_model->parameters()) {
        if (!parameter->gradient.defined())
            continue;
        const ShadowType type = parameter->tensor.type(), sumType = wideType(type);
        m_communication.allReduce.add(parameter->tensor.elements() * bytesOf(sumType));
        if (sumType == type)
            continue;
        const ShadowTensor buffer = m_graph.fresh(parameter->tensor.elements(), sumType);
        m_graph.memory().tag(buffer.storage(), Component::Communication, parameter->module);
    }
}

void ShadowSharding::fillGradients()
{
    for (Row& row : m_rows) {
        if (!row.group.trained || row.gradient.defined())
            continue;
        row.gradient = m_graph.fresh(row.share, row.type);
        m_graph.memory().tag(row.gradient.storage(), Component::Gradients, row.module);
    }
}

void ShadowSharding::spreadParameters()
{
    if (m_stage != Sharding::Zero1 && m_stage != Sharding::Zero2)
        return;
    for (const Row& row : m_rows)
        m_communication.allGather.add(row.padded * bytesOf(row.type));
}

std::vector<ShadowOptimised> ShadowSharding::optimised()
{
    std::vector<ShadowOptimised> tensors;
    if (m_stage == Sharding::None) {
        for (ShadowParameter* p : m_model->parameters()) {
            if (p->trainable)
                tensors.push_back(
                    {&p->tensor, &p->gradient, &p->optimizerStates, p->module, tensorShape(m_model->specOf(*p))});
        }
        return tensors;
    }
    for (Row& row : m_rows) {
        if (row.group.trained)
            tensors.push_back({&row.shard, &row.gradient, &row.states, row.module, {row.shard.elements()}});
    }
    return tensors;
}

} // namespace peakscope
