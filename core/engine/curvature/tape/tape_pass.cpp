// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/tape/tape.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace peakscope {
namespace {

void addTo(at::Tensor& sum, const at::Tensor& part)
{
    // Never in place: an adjoint may be shared with other nodes.
    sum = sum.defined() ? sum + part : part;
}

// The first operation that a seed or a sink speaks of: nothing below it has to run.
template <typename Map>
bool speaksOf(const Map& map, const TapeOp& op)
{
    return std::any_of(op.parameters.begin(), op.parameters.end(),
                       [&](std::size_t parameter) { return map.count(parameter) != 0; });
}

// Tells the tape's units as a pass goes by. What was entered is not left where an exception ends the pass: leaving may
// need the other ranks.
class UnitWalk
{
public:
    UnitWalk(const Tape& tape, bool down) : m_units(tape.units()), m_down(down) {}
    void at(const TapeOp& op)
    {
        if (!m_units || m_inside == op.unit())
            return;
        finish();
        m_units->enter(op.unit(), m_down);
        m_inside = op.unit();
    }
    void finish()
    {
        if (m_inside != kNowhere)
            m_units->leave(m_inside, m_down);
        m_inside = kNowhere;
    }

private:
    TapeUnits* m_units;
    bool m_down;
    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
    std::size_t m_inside = kNowhere;
};

} // namespace

TapePass::TapePass(const Tape& tape, at::Tensor tokens, at::Tensor labels, std::int64_t denominator)
    : m_tape(tape), m_tokens(std::move(tokens)), m_labels(std::move(labels)),
      m_denominator(static_cast<double>(denominator)), m_values(tape.nodes()), m_tangents(tape.nodes()),
      m_seconds(tape.nodes()), m_adjoints(tape.nodes()), m_adjointTangents(tape.nodes()), m_aux(tape.ops().size())
{}

at::Tensor TapePass::weight(std::size_t parameter) const
{
    Model& model = m_tape.model();
    return model.numbersOf(model.parameters()[parameter]);
}

double TapePass::forward()
{
    m_loss.reset();
    UnitWalk walk(m_tape, false);
    for (const auto& op : m_tape.ops()) {
        walk.at(*op);
        op->forward(*this);
        for (const std::size_t input : op->inputs) {
            if (m_tape.lastUse(input) == op->index && !m_tape.kept(input))
                m_values[input].reset();
        }
    }
    walk.finish();
    return m_loss.detach().item<double>();
}

void TapePass::addAdjoint(std::size_t node, const at::Tensor& part)
{
    addTo(m_adjoints[node], part);
}

void TapePass::addAdjointTangent(std::size_t node, const at::Tensor& part)
{
    addTo(m_adjointTangents[node], part);
}

void TapePass::addLoss(const at::Tensor& part)
{
    addTo(m_loss, part);
}

void TapePass::addDirectional(const at::Tensor& part)
{
    addTo(m_directional, part);
}

void TapePass::addJet(const at::Tensor& part)
{
    addTo(m_jet, part);
}

void TapePass::setTangent(std::size_t node, at::Tensor tangent, const TangentSeeds& seeds)
{
    if (const auto own = seeds.nodes.find(node); own != seeds.nodes.end())
        tangent = tangent.defined() ? tangent + own->second : own->second;
    m_tangents[node] = std::move(tangent);
}

void TapePass::keepAdjoints()
{
    std::fill(m_adjoints.begin(), m_adjoints.end(), at::Tensor());
    UnitWalk walk(m_tape, true);
    for (auto op = m_tape.ops().rbegin(); op != m_tape.ops().rend(); ++op) {
        walk.at(**op);
        (*op)->adjoint(*this);
    }
    walk.finish();
    m_adjointsKept = true;
}

void TapePass::gradient(std::map<std::size_t, at::Tensor>& sinks)
{
    m_gradientSinks = &sinks;
    std::fill(m_adjoints.begin(), m_adjoints.end(), at::Tensor());
    m_adjointsKept = false;
    UnitWalk walk(m_tape, true);
    for (auto op = m_tape.ops().rbegin(); op != m_tape.ops().rend(); ++op) {
        walk.at(**op);
        (*op)->adjoint(*this);
        m_adjoints[(*op)->output].reset();
    }
    walk.finish();
    m_gradientSinks = nullptr;
}

void TapePass::gradientByParameter(const std::vector<bool>& wanted, const GradientVisitor& visit)
{
    std::map<std::size_t, at::Tensor> sinks;
    std::map<std::size_t, std::size_t> lowest; // the operation that completes a parameter's gradient
    for (const auto& op : m_tape.ops()) {
        for (const std::size_t parameter : op->parameters)
            lowest.emplace(parameter, op->index);
    }
    m_gradientSinks = &sinks;
    std::fill(m_adjoints.begin(), m_adjoints.end(), at::Tensor());
    m_adjointsKept = false;
    UnitWalk walk(m_tape, true);
    for (auto op = m_tape.ops().rbegin(); op != m_tape.ops().rend(); ++op) {
        walk.at(**op);
        for (const std::size_t parameter : (*op)->parameters) {
            if (wanted[parameter] && sinks.count(parameter) == 0)
                sinks.emplace(parameter, at::zeros_like(weight(parameter)));
        }
        (*op)->adjoint(*this);
        m_adjoints[(*op)->output].reset();
        for (const std::size_t parameter : (*op)->parameters) {
            if (const auto own = sinks.find(parameter); own != sinks.end() && lowest[parameter] == (*op)->index) {
                visit(parameter, own->second);
                sinks.erase(own);
            }
        }
    }
    walk.finish();
    m_gradientSinks = nullptr;
}

bool TapePass::reaches(const TapeOp& op, const TangentSeeds& seeds) const
{
    return speaksOf(seeds.dense, op) || speaksOf(seeds.sparse, op) || seeds.nodes.count(op.output) != 0 ||
           std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](std::size_t node) { return m_tangents[node].defined(); });
}

void TapePass::sweep(const TangentSeeds& seeds, TangentSinks& sinks, bool gaussNewton)
{
    std::fill(m_tangents.begin(), m_tangents.end(), at::Tensor());
    std::fill(m_adjointTangents.begin(), m_adjointTangents.end(), at::Tensor());
    m_gaussNewton = gaussNewton;
    const bool ownAdjoints = !gaussNewton && !m_adjointsKept;
    std::vector<at::Tensor> hidden; // primal adjoints play no part in a Gauss-Newton product
    if (gaussNewton)
        hidden = std::exchange(m_adjoints, std::vector<at::Tensor>(m_tape.nodes()));
    else if (ownAdjoints)
        std::fill(m_adjoints.begin(), m_adjoints.end(), at::Tensor());
    UnitWalk up(m_tape, false);
    for (const auto& op : m_tape.ops()) {
        up.at(*op);
        if (reaches(*op, seeds))
            op->tangent(*this, seeds);
        for (const std::size_t input : op->inputs) {
            if (m_tape.lastUse(input) == op->index && !m_tape.tangentKept(input))
                m_tangents[input].reset();
        }
    }
    up.finish();
    m_lowest = m_tape.ops().size();
    for (const auto& op : m_tape.ops()) {
        const bool collects = speaksOf(sinks.dense, *op) || (sinks.entries && speaksOf(seeds.sparse, *op)) ||
                              sinks.nodes.count(op->output) != 0;
        if (collects)
            m_lowest = std::min(m_lowest, op->index);
    }
    UnitWalk down(m_tape, true);
    for (std::size_t i = m_tape.ops().size(); i-- > m_lowest;) {
        const TapeOp& op = *m_tape.ops()[i];
        down.at(op);
        if (const auto wanted = sinks.nodes.find(op.output); wanted != sinks.nodes.end())
            wanted->second = m_adjointTangents[op.output];
        op.adjointTangent(*this, seeds, sinks);
        if (ownAdjoints) {
            op.adjoint(*this);
            m_adjoints[op.output].reset();
        }
        m_adjointTangents[op.output].reset();
        m_tangents[op.output].reset();
    }
    down.finish();
    if (gaussNewton)
        m_adjoints = std::move(hidden);
    std::fill(m_tangents.begin(), m_tangents.end(), at::Tensor());
    std::fill(m_adjointTangents.begin(), m_adjointTangents.end(), at::Tensor());
}

at::Tensor TapePass::jets(const TangentSeeds& seeds)
{
    std::fill(m_tangents.begin(), m_tangents.end(), at::Tensor());
    std::fill(m_seconds.begin(), m_seconds.end(), at::Tensor());
    m_jet.reset();
    UnitWalk walk(m_tape, false);
    for (const auto& op : m_tape.ops()) {
        walk.at(*op);
        if (reaches(*op, seeds))
            op->jet(*this, seeds);
        for (const std::size_t input : op->inputs) {
            if (m_tape.lastUse(input) == op->index) {
                m_tangents[input].reset();
                m_seconds[input].reset();
            }
        }
    }
    walk.finish();
    return m_jet.defined() ? m_jet.to(at::kDouble).cpu() : at::zeros({seeds.count}, at::TensorOptions(at::kDouble));
}

at::Tensor TapePass::directionalDerivative(const TangentSeeds& seeds)
{
    m_wantsDirectional = true;
    m_directional.reset();
    std::fill(m_tangents.begin(), m_tangents.end(), at::Tensor());
    for (const auto& op : m_tape.ops()) {
        if (reaches(*op, seeds))
            op->tangent(*this, seeds);
    }
    m_wantsDirectional = false;
    std::fill(m_tangents.begin(), m_tangents.end(), at::Tensor());
    return m_directional;
}

} // namespace peakscope
