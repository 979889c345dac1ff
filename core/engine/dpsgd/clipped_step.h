// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The gradients of a DP-SGD step (Abadi et al. 2016, algorithm 1): every row's gradient clipped to a norm, summed,
// noised, over the expected batch. All methods give the same sum. Used by the trainer; the thread of the run.
#pragma once

#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/engine/sharding/parameter_shards.h"
#include "core/engine/data/training_data.h"
#include "core/planning/simulation/clipping_plan.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

struct ClippedGradients {
    double loss = 0;           // mean over all predicted tokens; 0 where there is none
    std::vector<double> norms; // of each row's own mean loss, before clipping
};

class ClippedStep
{
public:
    using Snapshot = std::function<void(const std::string& name)>;

    // All must outlive it. `snapshot` is called after each forward, norm pass and backward. `shards`: nothing where
    // this process trains alone; else batches are its rows of the step's, and gradients and norms are of all ranks.
    ClippedStep(const Experiment& experiment, Model& model, const ForwardOptions& options, Ledger& ledger,
                Snapshot snapshot, ParameterShards* shards = nullptr);

    // The parameters' gradients of step `number`, which must be unset before. A batch may have no rows.
    ClippedGradients run(const Batch& batch, std::int64_t number);

    const ClippingPlan& plan() const { return m_plan; }

    // The batch of step `number`: the data's own, or a Poisson sample of its rows.
    Batch batch(const TrainingData& data, std::int64_t number) const;

private:
    struct Part; // rows of one forward pass
    Part partOf(const Batch& batch, std::int64_t begin, std::int64_t number) const;
    void runPart(const Part& part, ClippedGradients& result);
    void addStepNoise(std::int64_t number);
    void runRows(const Part& part, ClippedGradients& result);
    void runMicrobatch(const Part& part, ClippedGradients& result);
    void handOverSums(); // of microbatches, as the parameters' gradients
    at::Tensor forward(const Part& part, bool sampled);
    std::vector<double> weightsOf(const std::vector<double>& norms) const;

    const Experiment& m_experiment;
    Model& m_model;
    ForwardOptions m_options;
    Ledger& m_ledger;
    Snapshot m_snapshot;
    ParameterShards* m_shards;
    ClippingPlan m_plan;
    at::Tensor m_logits;            // of the naive head, which holds them until backward is over
    std::vector<at::Tensor> m_sums; // of microbatches, one a parameter, in float32 at least
};

} // namespace peakscope
