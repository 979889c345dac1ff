// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The gradients of a clipped step on a simulated memory, beside core/engine/dpsgd/clipped_step.cpp. Used by the
// simulated run only.
#pragma once

#include "core/planning/inputs/clipping_rules.h"
#include "core/planning/shadow/shadow_model.h"
#include "core/planning/shadow/shadow_sharding.h"
#include "core/planning/shadow/shadow_tape.h"

namespace peakscope {

class ClippedSimulation
{
public:
    // All must outlive it. An adapter that cannot be made is the error of whoever made the model. `sharding`: nothing
    // where a process trains alone; else `rows` of the step's batch are this one's of `ranks`. `distinct`: different
    // tokens of each of them; empty: as distinctTokens() has them.
    ClippedSimulation(const Experiment& experiment, const ClippingPlan& plan, ShadowGraph& graph,
                      ShadowContext& context, ShadowModel& model, ShadowSharding* sharding, std::int64_t rows,
                      std::int64_t ranks, std::vector<std::int64_t> distinct = {});

    // The parameters' gradients, which must be unset before.
    void run(const ShadowTensor& inputs, const ShadowTensor& labels);

private:
    void runRows(const ShadowTensor& inputs, const ShadowTensor& labels, std::int64_t begin, std::int64_t rows);
    void runMicrobatch(const ShadowTensor& inputs, const ShadowTensor& labels);
    ShadowTensor forward(const ShadowTensor& inputs, const ShadowTensor& labels, bool sampled);
    void dropGraph(ShadowTensor& loss);
    void addWeighted(ShadowTensor& sum, ShadowTensor gradient, std::uint16_t module);
    void handOverSums();
    void addNoise();
    void drawNoise();

    const Experiment& m_experiment;
    const ClippingPlan& m_plan;
    ShadowGraph& m_graph;
    ShadowContext& m_context;
    ShadowModel& m_model;
    ShadowSharding* m_sharding;
    std::int64_t m_rows;
    std::int64_t m_ranks;
    std::vector<std::int64_t> m_distinct; // tokens of each row
    std::vector<ShadowRule> m_rules;
    std::vector<ShadowTensor> m_sums; // of microbatches, one a trained parameter
};

// The copy of a piece of gradients in float64 that their norm is taken of; CUDA needs none.
void simulateGradientNorm(ShadowGraph& graph, const ShadowModel& model, bool cuda);
void simulateNormOf(ShadowGraph& graph, const std::vector<const ShadowTensor*>& tensors, bool cuda);

} // namespace peakscope
