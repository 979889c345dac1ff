// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The simulated update of an optimiser: the twin of the engine's Optimizer and WideUpdate (core/engine/training). One
// simulation, one thread.
#pragma once

#include "core/experiment/experiment.h"
#include "core/planning/shadow/shadow_sharding.h"

#include <vector>

namespace peakscope {

class UpdateSimulation
{
public:
    // Both must outlive this. Makes what the optimiser holds before its first step.
    UpdateSimulation(const TrainingOptions& training, ShadowGraph& graph, bool cuda);

    // What is kept beside a parameter from its first update on.
    void makeStates(const ShadowOptimised& each);
    // One step on all of them.
    void update(const std::vector<ShadowOptimised>& all);
    // One parameter's, after another's.
    void updateOne(const ShadowOptimised& each);

private:
    ShadowTensor fresh(const ShadowOptimised& like);
    ShadowTensor madeOfWhole(const UpdateOperation& operation, const ShadowOptimised& each);
    ShadowTensor orthogonalised(const TensorShape& shape);
    ShadowTensor made(const UpdateOperation& operation, std::int64_t elements, ShadowType type, bool numberIsTensor);
    void updateTogether(const std::vector<ShadowOptimised>& all);
    void updateGroup(const std::vector<ShadowOptimised>& all);
    void updateWide(const ShadowOptimised& each);
    ShadowTensor widened(std::int64_t elements, ShadowType type);
    void readCodes(std::int64_t elements, std::vector<ShadowTensor>& numbers);
    void writeCodes(std::int64_t elements);
    void round(std::int64_t elements, ShadowType type);

    const TrainingOptions& m_training;
    ShadowGraph& m_graph;
    bool m_cuda;
    bool m_wide;
    std::vector<ShadowTensor> m_books; // of 8-bit codes
};

} // namespace peakscope
