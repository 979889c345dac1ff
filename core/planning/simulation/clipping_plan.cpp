// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/clipping_plan.h"

#include "core/planning/simulation/clipping_plan_search.h"

#include <algorithm>

namespace peakscope {

ClippingPlan clippingPlan(const Experiment& experiment, const EstimateOptions& options)
{
    ClippingPlan plan;
    plan.rowsPerPass = experiment.data.maxPhysicalBatch;
    switch (experiment.training.clipping) {
    case Clipping::None:
    case Clipping::Microbatch:
        plan.microbatch = true;
        plan.rowsPerPass = 1;
        break;
    case Clipping::Auto:
        return ClippingSearch(experiment, options).plan();
    case Clipping::PerSample:
        plan.rule = {NormRule::Tiles, SumRule::Hold};
        break;
    case Clipping::Ghost:
        plan.rule = {NormRule::Gram, SumRule::SecondPass};
        break;
    case Clipping::Flash:
        plan.rule = {NormRule::Tiles, SumRule::SecondPass};
        break;
    case Clipping::GhostBk:
        plan.rule = {NormRule::Gram, SumRule::Keep};
        break;
    case Clipping::FlashBk:
        plan.rule = {NormRule::Tiles, SumRule::Keep};
        break;
    }
    return plan;
}

ClippingPlan clippingPlanOfRank(const Experiment& experiment, const EstimateOptions& options, std::int64_t ranks)
{
    if (ranks <= 1) {
        return clippingPlan(experiment, options);
    }
    Experiment own = experiment;
    own.ranks = 0;
    own.training.sharding = Sharding::None;
    own.data.batch = std::max<std::int64_t>(1, (experiment.data.batch + ranks - 1) / ranks);
    own.data.maxPhysicalBatch = std::min(own.data.maxPhysicalBatch, own.data.batch);
    EstimateOptions one = options;
    one.devices = 1;
    one.rank = -1;
    return clippingPlan(own, one);
}

} // namespace peakscope
