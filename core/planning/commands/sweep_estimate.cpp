// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/commands/sweep_estimate.h"
#include "core/planning/estimate/estimate_memory.h"

namespace peakscope {

void estimateSweep(SweepPlan& plan, const EstimateOptions& options)
{
    for (PlannedPoint& point : plan.points) {
        if (!point.experiment)
            continue;
        EstimateOptions own = options;
        if (point.experiment->threads > 0)
            own.threads = point.experiment->threads;
        if (const auto estimate = estimateMemory(*point.experiment, own))
            point.predictedPeakBytes = estimate->peakBytes;
    }
}

} // namespace peakscope
