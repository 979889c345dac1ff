// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_prediction.h"

#include "core/planning/curvature_planner.h"

#include <algorithm>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kTokenBytes = 8;      // ids and labels are 64-bit
constexpr std::int64_t kSmallNoiseBatch = 4; // rows of one pass of the check
constexpr std::int64_t kBytesOfDouble = 8;

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

class PrmStages
{
public:
    PrmStages(const Experiment& experiment, const PrmSizes& sizes, const EstimateOptions& options)
        : m_experiment(experiment), m_sizes(sizes), m_options(options),
          m_specs(parameterSpecs(experiment.model.config)),
          m_elementBytes(experiment.dtype == Dtype::Float64 ? kBytesOfDouble : kBytesOfDouble / 2)
    {
        for (const ParameterSpec& spec : m_specs)
            m_parameters += spec.count();
    }

    Status compute()
    {
        if (m_sizes.trainingRows > 0) {
            if (Status simulated = training(); !simulated)
                return simulated;
        }
        evaluation();
        if (Status planned = products("features", "features", m_sizes.featureRows, m_experiment.data.maxPhysicalBatch,
                                      m_elementBytes, weights());
            !planned)
            return planned;
        // Float64 weights, a copy to put back, and those of the model itself.
        if (m_sizes.smallNoiseRows > 0)
            return products("small_noise", "trace", m_sizes.smallNoiseRows, kSmallNoiseBatch, kBytesOfDouble,
                            weights() + 2 * m_parameters * kBytesOfDouble);
        return Done{};
    }

    const std::vector<PrmStage>& stages() const { return m_stages; }

private:
    std::int64_t weights() const { return m_parameters * m_elementBytes; }

    Status training()
    {
        Experiment step = m_experiment;
        step.kind = "memory";
        step.data.batch = m_sizes.trainingRows;
        step.data.maxPhysicalBatch = std::min(step.data.maxPhysicalBatch, m_sizes.trainingRows);
        step.data.seq = m_sizes.length;
        const auto estimate = simulateTraining(step, m_options);
        if (!estimate)
            return estimate.error();
        m_stages.push_back(
            {"training", estimate->peakBytes, estimate->peakReservedBytes, estimate->components, estimate->verified});
        return Done{};
    }

    // A forward pass that keeps nothing: in a layer the block's wide values, at the end three pieces of logits. The
    // fine-tuned weights have a copy while noise is in them.
    void evaluation()
    {
        const ModelConfig& config = m_experiment.model.config;
        const std::int64_t tokens = m_sizes.scoringRows * m_sizes.length;
        const std::int64_t hidden = tokens * config.hidden * m_elementBytes;
        const std::int64_t wide = tokens * config.ffn * m_elementBytes;
        const std::int64_t logits = std::min(tokens * config.vocab * m_elementBytes, m_sizes.logitBytes);
        PrmStage stage{"evaluation", 0, 0, {}, false};
        stage[Component::Parameters] = 2 * weights();
        stage[Component::Inputs] = 2 * tokens * kTokenBytes;
        stage[Component::Activations] = std::max(2 * hidden + 2 * wide, hidden + 3 * logits);
        stage.sum();
        m_stages.push_back(std::move(stage));
    }

    // What the engine's own plan of Hessian products holds at the most, within a budget or without: on small models up
    // to half more than they then take.
    Status products(const char* stageName, const char* quantity, std::int64_t rows, std::int64_t microBatch,
                    std::int64_t elementBytes, std::int64_t resident)
    {
        CurvatureNeeds needs;
        needs.config = m_experiment.model.config;
        needs.parameters = m_specs;
        needs.wanted.assign(m_specs.size(), true);
        needs.rows = rows;
        needs.microBatch = std::min(rows, microBatch);
        needs.length = m_sizes.length;
        needs.elementBytes = elementBytes;
        needs.quantities = {quantity};
        needs.unit = m_sizes.unit;
        if (std::string_view(quantity) == "trace")
            needs.probes = 1; // the check of small noise takes one vector at a time
        const std::int64_t inputs = 2 * rows * m_sizes.length * kTokenBytes;
        needs.residentBytes = resident + inputs;
        needs.budgetBytes = m_experiment.budgetBytes;
        const auto plan = planCurvature(needs);
        if (!plan)
            return plan.error();
        PrmStage stage{stageName, 0, 0, {}, false};
        stage[Component::Parameters] = resident;
        stage[Component::Inputs] = inputs;
        stage[Component::Hessian] = std::max<std::int64_t>(0, plan->predictedBytes - resident - inputs);
        stage.sum();
        m_stages.push_back(std::move(stage));
        return Done{};
    }

    const Experiment& m_experiment;
    const PrmSizes& m_sizes;
    const EstimateOptions& m_options;
    std::vector<ParameterSpec> m_specs;
    std::int64_t m_elementBytes = 4;
    std::int64_t m_parameters = 0;
    std::vector<PrmStage> m_stages;
};

} // namespace

Json prmPrediction(const Experiment& experiment, const PrmSizes& sizes, const EstimateOptions& options,
                   std::vector<std::string>& notes)
{
    PrmStages stages(experiment, sizes, options);
    if (const Status computed = stages.compute(); !computed) {
        notes.push_back("no prediction: " + computed.error().text());
        return Json::object();
    }
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
