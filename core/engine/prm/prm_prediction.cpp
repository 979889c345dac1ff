// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_prediction.h"

#include "core/planning/curvature/curvature_planner.h"
#include "core/planning/simulation/simulate_evaluation.h"
#include "core/planning/simulation/simulate_training.h"

#include <algorithm>

namespace peakscope {
namespace {

using Json = nlohmann::json;

struct PrmStage {
    std::string name;
    std::int64_t peakBytes = 0, reservedBytes = 0;
    ComponentBytes components{};
    bool verified = false;

    std::int64_t& operator[](Component component) { return components[static_cast<std::size_t>(component)]; }
    void sum()
    {
        peakBytes = 0;
        for (const std::int64_t bytes : components)
            peakBytes += bytes;
        reservedBytes = peakBytes;
    }
};

PrmStage stageOf(std::string name, const MemoryEstimate& estimate, bool verified)
{
    return {std::move(name), estimate.peakBytes, estimate.peakReservedBytes, estimate.components, verified};
}

// The largest passes of the evaluations, with what lives beside them: the fine-tuned weights' copy, the batch of the
// features, and for each group of units which rows of a tensor are its own.
PrmStage evaluationStage(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
                         const EstimateOptions& options)
{
    EvaluationSizes passes;
    passes.rows = std::min(batching.scoringRows, sizes.scoredRows);
    passes.length = sizes.length;
    passes.logitBytes = batching.logitBytes;
    passes.copies = 1;
    PrmStage stage = stageOf("evaluation", simulateEvaluation(experiment, passes, options), false);
    constexpr std::int64_t kGroups = 6; // three classes and their controls
    std::int64_t rows = 0;
    for (const ParameterSpec& spec : parameterSpecs(experiment.model.config))
        rows += sizes.unit == FeatureUnit::Tensor ? 1 : spec.shape.front();
    stage[Component::Other] += kGroups * rows * bytesPerElement(experiment.dtype);
    stage[Component::Inputs] += 2 * sizes.featureRows * sizes.featureLength * kTokenBytes;
    stage.sum();
    return stage;
}

class PrmStages
{
public:
    PrmStages(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
              const EstimateOptions& options, std::vector<std::string>& notes)
        : m_experiment(experiment), m_sizes(sizes), m_batching(batching), m_options(options), m_notes(notes)
    {}

    void compute()
    {
        if (m_sizes.trainingRows > 0)
            training();
        m_stages.push_back(evaluationStage(m_experiment, m_sizes, m_batching, m_options));
        features();
        if (m_batching.smallNoiseBatch > 0)
            products("small_noise", smallNoiseNeeds(m_experiment, m_sizes, m_experiment.budgetBytes));
    }

    const std::vector<PrmStage>& stages() const { return m_stages; }

private:
    void leftOut(const std::string& stage, const Error& error)
    {
        m_notes.push_back("prediction: \"" + stage + "\" is left out: " + error.text());
    }

    void training()
    {
        Experiment step = m_experiment;
        step.kind = ExperimentKind::Memory;
        step.data.batch = m_sizes.trainingRows;
        step.data.maxPhysicalBatch = std::min(step.data.maxPhysicalBatch, m_sizes.trainingRows);
        step.data.seq = m_sizes.length + (step.data.source == DataSource::Tokens ? 1 : 0); // rowPositions()
        if (const auto estimate = simulateTraining(step, m_options))
            m_stages.push_back(stageOf("training", *estimate, estimate->verified));
        else
            leftOut("training", estimate.error());
    }

    void features()
    {
        const CurvatureNeeds needs = featureNeeds(m_experiment, m_sizes, m_experiment.budgetBytes);
        if (m_batching.features)
            add("features", needs, m_batching.features->predictedBytes);
        else
            products("features", needs);
    }

    // What the engine's own plan of Hessian products holds at the most: on small models up to half more than they then
    // take.
    void products(const char* name, CurvatureNeeds needs)
    {
        auto plan = planCurvature(needs);
        if (!plan && needs.budgetBytes > 0) {
            m_notes.push_back(std::string("prediction: \"") + name +
                              "\" is listed as without a budget: " + plan.error().message);
            needs.budgetBytes = 0;
            plan = planCurvature(needs);
        }
        if (plan)
            add(name, needs, plan->predictedBytes);
        else
            leftOut(name, plan.error());
    }

    void add(const char* name, const CurvatureNeeds& needs, std::int64_t bytes)
    {
        const std::int64_t inputs = 2 * needs.rows * needs.length * kTokenBytes;
        PrmStage stage{name, 0, 0, {}, false};
        stage[Component::Parameters] = needs.residentBytes - inputs;
        stage[Component::Inputs] = inputs;
        stage[Component::Hessian] = std::max<std::int64_t>(0, bytes - needs.residentBytes);
        stage.sum();
        m_stages.push_back(std::move(stage));
    }

    const Experiment& m_experiment;
    const PrmSizes& m_sizes;
    const PrmBatching& m_batching;
    const EstimateOptions& m_options;
    std::vector<std::string>& m_notes;
    std::vector<PrmStage> m_stages;
};

} // namespace

std::int64_t evaluationBytes(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
                             const EstimateOptions& options)
{
    return evaluationStage(experiment, sizes, batching, options).peakBytes;
}

Json prmPrediction(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
                   const EstimateOptions& options, std::vector<std::string>& notes)
{
    PrmStages stages(experiment, sizes, batching, options, notes);
    stages.compute();
    const auto& all = stages.stages();
    const auto peak = std::max_element(all.begin(), all.end(),
                                       [](const PrmStage& a, const PrmStage& b) { return a.peakBytes < b.peakBytes; });
    Json components = Json::object(), each = Json::object();
    for (std::size_t i = 0; i < kComponentCount; ++i)
        components[std::string(name(static_cast<Component>(i)))] = peak->components[i];
    for (const PrmStage& stage : all)
        each[stage.name] = stage.peakBytes;
    return {{"prediction",
             {{"peak_bytes", peak->peakBytes},
              {"peak_reserved_bytes", peak->reservedBytes},
              {"components", std::move(components)},
              {"verified", peak->verified},
              {"stages", std::move(each)}}}};
}

} // namespace peakscope
