// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/experiment_advice.h"

#include "core/base/json/json_reader.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace peakscope {

namespace {

Goal goalOf(const nlohmann::json& experiment)
{
    const ExperimentKind kind = experimentKind(experiment).value_or(ExperimentKind::Memory);
    const std::string clipping = lenient::text(lenient::object(experiment, "training"), "clipping");
    return kind == ExperimentKind::Curvature         ? Goal::Hessian
           : kind == ExperimentKind::Prm             ? Goal::Prm
           : !clipping.empty() && clipping != "none" ? Goal::DpSgd
                                                     : Goal::Train;
}

// Of micro-batches the last number holds; other changes stand beside one another.
void addChange(std::vector<std::string>& changes, const std::string& change)
{
    constexpr std::string_view kAccumulation = "gradient accumulation: ";
    if (!changes.empty() && change.starts_with(kAccumulation) && changes.back().starts_with(kAccumulation))
        changes.back() = change;
    else
        changes.push_back(change);
}

// As the run itself will predict it, from its own rows of data; searches take their mean.
std::int64_t promisedPeak(const PlanSpace& space, const nlohmann::json& document, std::int64_t otherwise)
{
    const auto experiment = experimentFromJson(document);
    if (!experiment)
        return otherwise;
    EstimateOptions options = estimateOptionsOn(space.device);
    options.threads = space.base.threads;
    options.countRows = true;
    const auto estimate = estimateMemory(*experiment, options);
    return estimate ? estimate->peakBytes : otherwise;
}

} // namespace

Result<ExperimentAdvice> adviceFor(const nlohmann::json& experiment, const PlanDevice& device, std::stop_token stop)
{
    const std::int64_t budgetBytes = lenient::integer(experiment, "budget_bytes", 0);
    RecommendOptions options;
    options.model = lenient::object(experiment, "model");
    options.device = device;
    options.goal = goalOf(experiment);
    options.base = experiment;
    for (const char* key : {"model", "budget_bytes", "fit", "device"})
        options.base.erase(key);
    auto space = planSpace(options);
    if (!space)
        return space.error();
    // All that was asked for may give way but for the rows of a step and the devices.
    space->fixed = {};
    space->fixed.batch = space->fixed.sharding = space->fixed.clipping = true;
    PlanSearch search(*space, stop);
    const std::vector<LadderStep> steps = ladderSteps(search);
    ExperimentAdvice advice;
    std::vector<std::string> changes;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        // The first rung spells out what "auto" stands for.
        const nlohmann::json& document = i == 0 ? experiment : steps[i].experiment;
        const std::int64_t peak = promisedPeak(*space, document, steps[i].peakBytes);
        if (i == 0) {
            advice.askedPeakBytes = peak;
            continue;
        }
        addChange(changes, steps[i].change);
        // A budget is of what is allocated; a device must hold what is reserved, and the process.
        const Verdict verdict = budgetBytes > 0 ? verdictFor(peak, 0, budgetBytes) : steps[i].verdict;
        advice.remedies.push_back({fmt::format("{}", fmt::join(changes, "; ")), steps[i].tier,
                                   advice.askedPeakBytes - peak, peak, verdict, document});
        if (budgetBytes > 0)
            advice.remedies.back().experiment["budget_bytes"] = budgetBytes;
    }
    // The ladder is in the order of tiers and changes already.
    std::stable_sort(advice.remedies.begin(), advice.remedies.end(),
                     [](const ExperimentRemedy& a, const ExperimentRemedy& b) {
                         return std::tuple(rankClass(a.verdict), a.tier) < std::tuple(rankClass(b.verdict), b.tier);
                     });
    return advice;
}

} // namespace peakscope
