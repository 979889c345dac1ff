// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Training steps under the ledger's eyes: phases, scopes, snapshots and times of every step.
#pragma once

#include "core/base/result.h"
#include "core/engine/dpsgd/clipped_step.h"
#include "core/engine/ledger/event_sink.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/operator_tracer.h"
#include "core/engine/model/model.h"
#include "core/engine/sharding/parameter_shards.h"
#include "core/engine/training/optimizer.h"
#include "core/engine/data/training_data.h"
#include "core/experiment/experiment.h"
#include "core/planning/inputs/privacy_accountant.h"
#include "core/results/run_result.h"
#include "core/results/sweeps/timed_round.h"

#include <vector>

namespace peakscope {

// What training found so far; readable at any time, also after an exception.
struct TrainingRecord {
    std::vector<double> warmupSeconds;
    std::vector<double> stepSeconds;
    TimedRound load;            // of the machine over all measured steps
    std::vector<double> losses; // of every step
    double gradientNorm = 0;    // of the last measured step, before its update
    bool hasGradientNorm = false;
    std::vector<double> sampleNorms;             // of the last measured step's rows, where it clips
    std::optional<PrivacyCost> privacy;          // of all steps taken so far, where noise was added
    std::vector<CollectiveTotals> communication; // of the measured steps, by Collective
    ExpertRecord experts;                        // of a mixture's steps, warm-up too
    std::vector<std::string> notes;
    std::vector<Snapshot> snapshots;
};

class Trainer
{
public:
    // `shards`: nothing where this process trains alone. All must outlive it.
    Trainer(const Experiment& experiment, Model& model, const TrainingData& data, Ledger& ledger, EventSink& sink,
            TrainingRecord& record, ParameterShards* shards = nullptr);

    // All warm-up and measured steps. A loss that is not finite ends it with an error; AllocationRefused and
    // LibTorch's own exceptions pass through to the experiment.
    Status run();

    void snapshot(const std::string& name);

private:
    Status step(std::int64_t number);
    void noteLoad(const LoadCounters& start);
    void noteEmptyStep(std::int64_t number, bool last);
    void accountPrivacy(std::int64_t stepsTaken);
    double gradients(const Batch& batch, std::int64_t number);
    double forwardBackward(const Batch& batch, std::int64_t number);
    double pass(const at::Tensor& inputs, const at::Tensor& labels, std::int64_t countedLabels, double share,
                std::int64_t number);
    std::vector<Parameter>& optimised() { return m_shards ? m_shards->optimised() : m_model.parameters(); }
    void reportProgress(std::int64_t finished);

    const Experiment& m_experiment;
    Model& m_model;
    const TrainingData& m_data;
    Ledger& m_ledger;
    EventSink& m_sink;
    TrainingRecord& m_record;
    ParameterShards* m_shards;
    ForwardOptions m_options;
    c10::Device m_device = c10::Device(c10::DeviceType::CPU);
    std::unique_ptr<Optimizer> m_optimizer;
    bool m_inBackward = false;              // each parameter is updated once its gradient is there
    std::unique_ptr<ClippedStep> m_clipped; // where the experiment clips
    std::int64_t m_currentStep = -1;
    std::int64_t m_emptySteps = 0; // that drew no rows
    std::size_t m_emptyNote = 0;   // where the record's note on them stands
};

} // namespace peakscope
