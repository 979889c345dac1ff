// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How much a curvature run may hold at a time so that it keeps to its budget, decided before the first product.
#pragma once

#include "core/engine/curvature/products/curvature_run.h"
#include "core/results/json_fields.h"

namespace peakscope {

// The largest sizes that fit the budget (see core/planning/curvature/curvature_planner.h). A resumed run gets the plan
// it began with, or what is rounded differently would not end in the same bits.
Result<CurvaturePlan> curvaturePlan(CurvatureRun& run);

// Once the plan or the computing has refused it: takes it out of the options, and the notes and the section say why.
void tellLeftOut(CurvatureRun& run, const QuantityLeftOut& one);

// As the result and the progress file have them.
void members(auto& fields, Of<CurvaturePlan> auto& plan)
{
    fields("micro_batch", plan.microBatch);
    fields("in_flight", plan.inFlight);
    fields("basis", plan.basis);
    fields("directions", plan.directions);
    fields("held", plan.held);
    fields("whole_opening", plan.wholeOpening);
    fields("predicted_peak_bytes", plan.predictedBytes);
    fields("costliest", plan.costliest);
}
void members(auto& fields, Of<QuantityLeftOut> auto& one)
{
    fields("quantity", one.quantity);
    fields("reason", one.reason);
}

} // namespace peakscope
