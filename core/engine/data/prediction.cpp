// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/data/prediction.h"

#include "core/engine/device/torch_compat.h"
#include "core/planning/curvature/curvature_estimate.h"
#include "core/planning/estimate/estimate_memory.h"

namespace peakscope {

EstimateOptions estimateOptions(const std::string& device, std::int64_t threads)
{
    EstimateOptions options;
    options.cuda = device != "cpu";
    options.threads = threads;
    options.fusedAttention = PEAKSCOPE_TORCH_HAS_SDPA;
    return options;
}

nlohmann::json predictionSection(const Experiment& experiment, const std::string& device, std::int64_t threads,
                                 std::int64_t ranks, const ExpertRecord* experts)
{
    if (experiment.kind != ExperimentKind::Memory && experiment.kind != ExperimentKind::Curvature)
        return nlohmann::json::object();
    EstimateOptions options = estimateOptions(device, threads);
    options.countRows = true;
    options.devices = ranks;
    auto estimate = estimateMemory(experiment, options);
    for (std::size_t i = 0; experts != nullptr && i < experts->fullest().size(); ++i) {
        options.loads = experts->fullest()[i];
        const auto other = estimateMemory(experiment, options);
        if (other && (i == 0 || other->peakBytes > estimate->peakBytes))
            estimate = other;
    }
    if (!estimate)
        return nlohmann::json::object();
    const bool cut = experiment.training.sharding == Sharding::Zero3;
    // On a CPU only where the engine keeps to the same plan, as it does on shards.
    if (experiment.kind == ExperimentKind::Curvature && device == "cpu" && !estimate->verified && !cut)
        return nlohmann::json::object();
    nlohmann::json whole = toJson(*estimate);
    nlohmann::json section;
    for (const char* key : {"peak_bytes", "peak_reserved_bytes", "components", "verified", "skewed_peak_bytes"}) {
        if (whole.contains(key))
            section[key] = whole[key];
    }
    if (experiment.kind == ExperimentKind::Curvature && peakIsBound(experiment, ranks))
        section["bound"] = true;
    if (experiment.model.config.experts > 0)
        section["experts"] = experts != nullptr ? std::string_view("measured") : name(experiment.data.routing);
    return {{"prediction", section}};
}

} // namespace peakscope
