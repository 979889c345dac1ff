// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/communication_plan.h"

#include "core/planning/simulation/clipping_plan.h"
#include "core/planning/simulation/simulate_training.h"

#include <fmt/format.h>

#include <optional>

namespace peakscope {

Result<CommunicationPlan> communicationPlan(const Experiment& experiment, std::int64_t ranks)
{
    if (ranks < 2) {
        return badInput("ranks", fmt::format("{} have no communication; at least 2 are needed", ranks));
    }
    if (experiment.kind != ExperimentKind::Memory || experiment.training.privacy.poisson) {
        return badInput("", "only training steps of a known number of rows are planned; set kind to memory and "
                            "training.privacy.poisson to false");
    }
    EstimateOptions options;
    options.devices = ranks;
    CommunicationPlan plan;
    std::optional<ClippingPlan> clipping;
    if (experiment.training.clipping != Clipping::None)
        clipping = clippingPlanOfRank(experiment, options, ranks);
    const auto run = simulateRun(experiment, options, clipping ? &*clipping : nullptr, &plan);
    if (!run) {
        return run.error();
    }
    return plan;
}

Result<CommunicationPlan> communicationOfRun(const Experiment& experiment, std::int64_t ranks)
{
    auto plan = communicationPlan(experiment, ranks);
    if (!plan) {
        return plan;
    }
    for (CollectiveLoad* load : {&plan->allReduce, &plan->reduceScatter, &plan->allGather, &plan->broadcast}) {
        load->count *= experiment.training.steps;
        load->bytes *= experiment.training.steps;
    }
    return plan;
}

} // namespace peakscope
