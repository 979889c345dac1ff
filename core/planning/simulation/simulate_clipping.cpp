// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_clipping.h"

#include "core/model/work_pieces.h"
#include "core/planning/inputs/data_rows.h"

#include <algorithm>

namespace peakscope {

void simulateGradientNorm(ShadowGraph& graph, const ShadowModel& model, bool cuda)
{
    std::vector<const ShadowTensor*> tensors;
    for (const ShadowParameter* parameter : model.parameters()) {
        if (parameter->trainable)
            tensors.push_back(&parameter->tensor);
    }
    simulateNormOf(graph, tensors, cuda);
}

void simulateNormOf(ShadowGraph& graph, const std::vector<const ShadowTensor*>& tensors, bool cuda)
{
    if (cuda)
        return; // a few bytes a tensor
    std::int64_t largest = 0;
    bool copies = false;
    for (const ShadowTensor* tensor : tensors) {
        largest = std::max(largest, tensor->elements());
        copies = copies || tensor->type() != ShadowType::Float64;
    }
    const ShadowTensor piece =
        copies ? graph.fresh(std::min(kWidenedPiece, largest), ShadowType::Float64) : ShadowTensor();
    graph.fresh(1, ShadowType::Float64); // its norm
}

ClippedSimulation::ClippedSimulation(const Experiment& experiment, const ClippingPlan& plan, ShadowGraph& graph,
                                     ShadowContext& context, ShadowModel& model, ShadowSharding* sharding,
                                     std::int64_t rows, std::int64_t ranks, std::vector<std::int64_t> distinct)
    : m_experiment(experiment), m_plan(plan), m_graph(graph), m_context(context), m_model(model), m_sharding(sharding),
      m_rows(rows), m_ranks(ranks), m_distinct(std::move(distinct))
{
    if (m_distinct.empty() && !plan.microbatch)
        m_distinct.assign(static_cast<std::size_t>(rows), distinctTokens(experiment));
    if (m_sharding)
        m_sharding->holdGradients();
    for (ShadowParameter* parameter : model.parameters()) {
        if (parameter->trainable)
            m_rules.push_back({parameter, plan.of(model.specOf(*parameter).name), model.isTied(*parameter)});
    }
}

void ClippedSimulation::run(const ShadowTensor& inputs, const ShadowTensor& labels)
{
    const std::int64_t physical = std::min(m_experiment.data.batch, m_plan.rowsPerPass);
    const std::int64_t passes = passesOfStep(m_experiment.data.batch, physical, m_ranks);
    for (std::int64_t i = 0; i < passes; ++i) {
        const std::int64_t count = std::min(physical, m_rows - std::min(i * physical, m_rows));
        if (m_context.leavesOut(i, count, physical))
            continue;
        ShadowTensor noInputs, noLabels;
        if (count <= 0) { // a row without labels, while other ranks have some
            noLabels = m_graph.fresh(m_context.sequence, ShadowType::Int64);
            noInputs = m_graph.fresh(m_context.sequence, ShadowType::Int64);
        }
        const ShadowTensor& rowInputs = count > 0 ? inputs : noInputs;
        const ShadowTensor& rowLabels = count > 0 ? labels : noLabels;
        if (m_plan.microbatch)
            runMicrobatch(rowInputs, rowLabels);
        else
            runRows(rowInputs, rowLabels, i * physical, std::max<std::int64_t>(count, 1));
        if (m_sharding)
            m_sharding->finishPass();
    }
    handOverSums();
    if (m_sharding)
        m_sharding->finishStep();
    m_graph.memory().setPhase(Phase::OptimizerStep);
    addNoise();
}

ShadowTensor ClippedSimulation::forward(const ShadowTensor& inputs, const ShadowTensor& labels, bool sampled)
{
    ShadowMemory& memory = m_graph.memory();
    memory.setPhase(Phase::Forward);
    const std::uint32_t work = memory.openWork(ShadowWork::Forward);
    const bool checkpointing = m_experiment.training.checkpointing;
    ShadowTensor hidden = m_model.hidden(m_context, inputs, checkpointing);
    if (!checkpointing)
        m_context.dropTables();
    ShadowTensor losses =
        sampled ? m_model.sampleLosses(m_context, hidden, labels) : m_model.loss(m_context, hidden, labels, true);
    hidden.reset();
    m_model.dropCasts();
    memory.closeWork(work);
    return losses;
}

void ClippedSimulation::dropGraph(ShadowTensor& loss)
{
    loss.reset();
    m_graph.clear();
    m_context.logits.reset();
    m_context.dropTables();
}

void ClippedSimulation::runRows(const ShadowTensor& inputs, const ShadowTensor& labels, std::int64_t begin,
                                std::int64_t rows)
{
    ShadowMemory& memory = m_graph.memory();
    m_context.batch = rows;
    std::vector<std::int64_t> distinct{1}; // of the row that stands in for none
    if (begin < m_rows)
        distinct.assign(m_distinct.begin() + begin, m_distinct.begin() + begin + rows);
    ShadowTape tape(m_graph, m_rules, {rows, m_context.sequence, std::move(distinct), m_context.cuda});
    m_context.tape = &tape;
    ShadowTensor losses = forward(inputs, labels, true);
    // Of the host, for the report.
    const ShadowTensor values = m_context.cuda || losses.type() == ShadowType::Float64
                                    ? ShadowTensor()
                                    : m_graph.fresh(rows, ShadowType::Float64);
    const bool twoPasses = tape.needsSecondPass();
    memory.setPhase(twoPasses ? Phase::Norms : Phase::Backward);
    {
        const ShadowTensor ones = m_graph.fresh(rows, losses.type()); // held by the caller until backward is over
        m_graph.backward(losses, ones, twoPasses);
    }
    memory.setPhase(Phase::Norms);
    tape.norms();
    tape.finish();
    if (twoPasses) {
        memory.setPhase(Phase::Backward);
        tape.setPass(ShadowTape::Pass::Weighted);
        const ShadowTensor doubles = m_graph.fresh(rows, ShadowType::Float64);
        const ShadowTensor weights =
            losses.type() == ShadowType::Float64 ? doubles : m_graph.fresh(rows, losses.type());
        m_graph.backward(losses, weights);
    }
    dropGraph(losses);
    m_context.tape = nullptr;
}

void ClippedSimulation::runMicrobatch(const ShadowTensor& inputs, const ShadowTensor& labels)
{
    ShadowMemory& memory = m_graph.memory();
    m_context.batch = 1;
    ShadowTensor loss = forward(inputs, labels, false);
    memory.setPhase(Phase::Backward);
    {
        const ShadowTensor one = m_graph.fresh(1, loss.type()); // held by the caller until backward is over
        m_graph.backward(loss, one);
    }
    dropGraph(loss);
    for (const ShadowRule& rule : m_rules) {
        const ShadowParameter& parameter = *rule.parameter;
        if (parameter.gradient.defined())
            memory.tag(parameter.gradient.storage(), Component::PerSampleGradients, parameter.module);
    }
    memory.setPhase(Phase::Norms);
    simulateGradientNorm(m_graph, m_model, m_context.cuda);
    m_sums.resize(m_rules.size());
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        ShadowTensor gradient = std::move(m_rules[i].parameter->gradient);
        if (gradient.defined())
            addWeighted(m_sums[i], std::move(gradient), m_rules[i].parameter->module);
    }
}

void ClippedSimulation::addWeighted(ShadowTensor& sum, ShadowTensor gradient, std::uint16_t module)
{
    ShadowMemory& memory = m_graph.memory();
    const bool narrow = isNarrow(gradient.type());
    if (!sum.defined() && !narrow) {
        memory.retag(gradient.storage(), Component::Gradients);
        sum = std::move(gradient);
    } else if (!sum.defined()) {
        sum = m_graph.fresh(gradient.elements(), wideType(gradient.type()));
        memory.tag(sum.storage(), Component::Gradients, module);
    } else if (narrow && !m_context.cuda) {
        m_graph.fresh(std::min(kWidenedPiece, gradient.elements()), wideType(gradient.type()));
    }
}

void ClippedSimulation::handOverSums()
{
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        ShadowTensor sum = std::move(m_sums[i]);
        if (!sum.defined())
            continue;
        ShadowParameter& parameter = *m_rules[i].parameter;
        if (sum.type() != parameter.tensor.type()) {
            parameter.gradient = m_graph.fresh(sum.elements(), parameter.tensor.type());
            m_graph.memory().tag(parameter.gradient.storage(), Component::Gradients, parameter.module);
        } else {
            parameter.gradient = std::move(sum);
        }
    }
    m_sums.clear();
}

void ClippedSimulation::addNoise()
{
    if (m_experiment.training.sharding != Sharding::None) {
        m_sharding->fillGradients();
        drawNoise();
        return;
    }
    for (const ShadowRule& rule : m_rules) {
        ShadowParameter& parameter = *rule.parameter;
        if (parameter.gradient.defined())
            continue;
        parameter.gradient = m_graph.fresh(parameter.tensor.elements(), parameter.tensor.type());
        m_graph.memory().tag(parameter.gradient.storage(), Component::Gradients, parameter.module);
    }
    drawNoise();
}

void ClippedSimulation::drawNoise()
{
    if (m_experiment.training.noiseMultiplier <= 0)
        return;
    const std::int64_t limit = noisePiece(m_context.cuda);
    std::int64_t most = 0; // of a piece
    for (const ShadowRule& rule : m_rules)
        most = std::max(most, std::min(limit, rule.parameter->tensor.elements()));
    ShadowTensor piece;
    for (const ShadowRule& rule : m_rules) {
        const ShadowTensor& tensor = rule.parameter->tensor;
        const ShadowType type = tensor.type();
        if (!piece.defined())
            piece = m_graph.fresh(most, wideType(type));
        if (m_context.cuda || !isNarrow(type))
            continue;
        // Added in the noise's type: the operand and the result are copies.
        const std::int64_t elements = std::min(limit, tensor.elements());
        const ShadowTensor operand = m_graph.fresh(elements, wideType(type));
        m_graph.fresh(elements, wideType(type));
    }
}

} // namespace peakscope
