// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_sharding.h"

#include "core/model/work_pieces.h"

#include <algorithm>

namespace peakscope {

Result<std::unique_ptr<ShadowSharding>> ShadowSharding::create(const Experiment& experiment, std::int64_t ranks,
                                                               std::int64_t rank, ShadowGraph& graph, bool cuda)
{
    auto groups = shardedGroups(experiment);
    if (!groups)
        return groups.error();
    return std::unique_ptr<ShadowSharding>(
        new ShadowSharding(experiment, std::move(*groups), ranks, rank, graph, cuda));
}

ShadowSharding::ShadowSharding(const Experiment& experiment, std::vector<ShardGroup> groups, std::int64_t ranks,
                               std::int64_t rank, ShadowGraph& graph, bool cuda)
    : m_experiment(experiment), m_ranks(ranks), m_graph(graph), m_cuda(cuda), m_stage(experiment.training.sharding),
      m_rank(rank), m_type(shadowType(experiment.dtype)), m_units(shardUnitCount(experiment.model.config.layers)),
      m_schedule(experiment, groups, *this)
{
    for (ShardGroup& group : groups) {
        Row& row = m_rows.emplace_back();
        row.share = group.share(ranks);
        row.padded = group.padded(ranks);
        row.group = std::move(group);
        const bool byRows = row.group.byRows;
        row.type = typeOf(row.group.parameters.front());
        row.gatheredType = byRows ? shadowType(computeDtype(experiment)) : row.type;
        row.sumType = byRows ? shadowType(reduceDtype(experiment)) : wideType(row.type);
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
    makeOptimised(row);
}

void ShadowSharding::makeOptimised(Row& row) const
{
    if (!row.group.trained)
        return;
    if (!row.group.byRows) {
        row.optimised.push_back({{row.share}, row.memory.viewOf(row.share), {}, {}});
        return;
    }
    for (std::size_t i = 0; i < row.group.parameters.size(); ++i) {
        ParameterSpec own = row.group.parameters[i];
        const ShardPart part = row.group.part(i, m_rank, m_ranks);
        own.shape.front() = part.count / (own.count() / own.shape.front());
        if (part.count > 0)
            row.optimised.push_back({tensorShape(own), row.memory.viewOf(part.count), {}, {}});
    }
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

// What the parameter is to the model: its numbers, or its row's shards, in the type in which they are gathered.
ShadowTensor ShadowSharding::computedOn(const ParameterSpec& spec, const ShadowTensor& values)
{
    const Row* row = rowOf(spec);
    if (row == nullptr || wholeRows())
        return values;
    return row->memory.viewOf(row->memory.elements(), row->gatheredType);
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
        ShadowModel::setMemory(*parameter, computedOn(spec, values));
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
        ShadowModel::setMemory(*parameter, computedOn(spec, values));
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
    if (m_stage == Sharding::Zero2 || !wholeRows())
        model.setHooks(this);
}

void ShadowSharding::gather(std::size_t number)
{
    Row& row = m_rows[number];
    row.gathered = m_graph.fresh(row.padded, row.gatheredType);
    m_graph.memory().tag(row.gathered.storage(), Component::Communication, row.module);
    m_communication.allGather.add(row.padded * bytesOf(row.gatheredType));
}

void ShadowSharding::await(std::size_t number)
{
    Row& row = m_rows[number];
    if (!row.group.byRows || !row.gathered.defined())
        return;
    for (std::size_t i = 0; i < row.group.parameters.size(); ++i) {
        row.whole.push_back(m_graph.fresh(m_ranks * row.group.partElements(i, m_ranks), row.gatheredType));
        m_graph.memory().tag(row.whole.back().storage(), Component::Communication, row.module);
    }
    row.gathered.reset();
}

void ShadowSharding::release(std::size_t number)
{
    m_rows[number].gathered.reset();
    m_rows[number].whole.clear();
}

bool ShadowSharding::reduce(std::size_t number)
{
    Row& row = m_rows[number];
    const bool any = std::any_of(row.members.begin(), row.members.end(),
                                 [](const ShadowParameter* member) { return member->gradient.defined(); });
    if (!any)
        return false;
    row.sum = m_graph.fresh(row.padded, row.sumType);
    m_graph.memory().tag(row.sum.storage(), Component::Communication, row.module);
    m_communication.reduceScatter.add(row.padded * bytesOf(row.sumType));
    for (ShadowParameter* member : row.members)
        member->gradient.reset();
    if (row.group.byRows) {
        row.scattered = m_graph.fresh(row.share, row.sumType);
        m_graph.memory().tag(row.scattered.storage(),
                             row.gradient.defined() ? Component::Communication : Component::Gradients, row.module);
    }
    return true;
}

void ShadowSharding::settle(std::size_t number)
{
    Row& row = m_rows[number];
    const ShadowTensor sum = std::move(row.sum); // released when the gradient has it
    ShadowTensor scattered = std::move(row.scattered);
    if (row.gradient.defined()) {
        if (row.sumType != row.type && !m_cuda) { // added in the sum's type: the operand and the result are copies
            const ShadowTensor operand = m_graph.fresh(row.share, row.sumType);
            const ShadowTensor result = m_graph.fresh(row.share, row.sumType);
        }
        return;
    }
    if (row.group.byRows && row.sumType == row.type) {
        row.gradient = std::move(scattered);
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
    for (Row& row : m_rows) {
        for (Row::Optimised& own : row.optimised) {
            if (row.gradient.defined())
                own.gradient = row.gradient.viewOf(own.tensor.elements());
        }
        row.gradient.reset();
    }
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
        for (Row::Optimised& own : row.optimised) {
            if (own.gradient.defined())
                continue;
            own.gradient = m_graph.fresh(own.tensor.elements(), row.type);
            m_graph.memory().tag(own.gradient.storage(), Component::Gradients, row.module);
        }
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
        for (Row::Optimised& own : row.optimised)
            tensors.push_back({&own.tensor, &own.gradient, &own.states, row.module, own.shape});
    }
    return tensors;
}

} // namespace peakscope
