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
                                 std::int64_t ranks)
{
    if (experiment.kind != ExperimentKind::Memory && experiment.kind != ExperimentKind::Curvature)
        return nlohmann::json::object();
    EstimateOptions options = estimateOptions(device, threads);
    options.countRows = true;
    options.devices = ranks;
    const auto estimate = estimateMemory(experiment, options);
    if (!estimate)
        return nlohmann::json::object();
    const bool cut = experiment.training.sharding == Sharding::Zero3;
    // On a CPU only where the engine keeps to the same plan, as it does on shards.
    if (experiment.kind == ExperimentKind::Curvature && device == "cpu" && !estimate->verified && !cut)
        return nlohmann::json::object();
    nlohmann::json whole = toJson(*estimate);
    nlohmann::json section;
    for (const char* key : {"peak_bytes", "peak_reserved_bytes", "components", "verified"})
        section[key] = whole[key];
    if (experiment.kind == ExperimentKind::Curvature && peakIsBound(experiment, ranks))
        section["bound"] = true;
    return {{"prediction", section}};
}

} // namespace peakscope
