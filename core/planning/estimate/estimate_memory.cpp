// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/estimate/estimate_memory.h"

#include "core/base/units.h"
#include "core/planning/curvature/closed_forms.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/simulation/simulate_training.h"

#include <fmt/format.h>

namespace peakscope {
namespace {

nlohmann::json componentsJson(const ComponentBytes& bytes)
{
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < kComponentCount; ++i)
        object[std::string(name(static_cast<Component>(i)))] = bytes[i];
    return object;
}

// Of mixtures nobody knows beforehand where tokens go: what they take at most stands beside what they take evenly.
void addSkewed(Experiment experiment, EstimateOptions options, MemoryEstimate& estimate)
{
    experiment.data.routing = ExpertRouting::Skewed;
    options.modules = false;
    const auto skewed = simulateTraining(experiment, options);
    if (!skewed)
        return;
    estimate.skewedPeakBytes = skewed->peakBytes;
    estimate.notes.push_back(fmt::format("Each expert is taken to get as many tokens. If all went to the same {}, the "
                                         "peak would be {}.",
                                         experiment.model.config.expertsPerToken, formatBytes(skewed->peakBytes)));
}

} // namespace

Result<MemoryEstimate> estimateMemory(const Experiment& experiment, const EstimateOptions& options)
{
    if (options.devices < 1) {
        return badInput("devices", fmt::format("{} is below 1", options.devices));
    }
    auto estimate = experiment.kind == ExperimentKind::Memory ? simulateTraining(experiment, options)
                                                              : estimateClosedForm(experiment, options);
    const bool assumed = options.loads.empty() && !options.derived && experiment.model.config.experts > 0;
    if (estimate && assumed && options.skewed && experiment.kind == ExperimentKind::Memory &&
        experiment.data.routing == ExpertRouting::Even)
        addSkewed(experiment, options, *estimate);
    if (estimate && assumed && experiment.data.routing == ExpertRouting::Skewed)
        estimate->notes.push_back(
            fmt::format("All tokens are taken to go to the same {} experts, the most that one can "
                        "get.",
                        experiment.model.config.expertsPerToken));
    if (const std::string doubt = estimate ? rowDoubt(experiment) : std::string(); !doubt.empty()) {
        estimate->verified = false;
        estimate->notes.push_back(doubt);
    }
    return estimate;
}

nlohmann::json toJson(const MemoryEstimate& estimate)
{
    nlohmann::json phases = nlohmann::json::object();
    for (const PhaseEstimate& phase : estimate.phases) {
        phases[std::string(name(phase.phase))] = {{"peak_bytes", phase.peakBytes},
                                                  {"components", componentsJson(phase.components)}};
    }
    nlohmann::json modules = nlohmann::json::array();
    for (const ModuleEstimate& module : estimate.modules) {
        modules.push_back({{"name", module.name},
                           {"kind", module.kind ? std::string(name(*module.kind)) : std::string()},
                           {"parameter_bytes", module.parameterBytes},
                           {"gradient_bytes", module.gradientBytes},
                           {"activation_bytes", module.activationBytes},
                           {"peak_bytes", module.peakBytes}});
    }
    nlohmann::json document{{"peak_bytes", estimate.peakBytes},
                            {"peak_reserved_bytes", estimate.peakReservedBytes},
                            {"components", componentsJson(estimate.components)},
                            {"max_components", componentsJson(estimate.maxComponents)},
                            {"peak_phase", name(estimate.peakPhase)},
                            {"peak_module", estimate.peakModule},
                            {"phases", phases},
                            {"modules", modules},
                            {"logits_bytes", estimate.logitsBytes},
                            {"logits_make_peak", estimate.logitsMakePeak},
                            {"verified", estimate.verified},
                            {"notes", estimate.notes}};
    if (estimate.skewedPeakBytes > 0)
        document["skewed_peak_bytes"] = estimate.skewedPeakBytes;
    return document;
}

} // namespace peakscope
