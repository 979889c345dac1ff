// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How much a curvature run may hold at a time so that it keeps to its budget, decided before the first product.
#pragma once

#include "core/engine/curvature/products/curvature_run.h"

namespace peakscope {

// The largest sizes that fit the budget (see core/planning/curvature/curvature_planner.h). A resumed run gets the plan
// it began with, or what is rounded differently would not end in the same bits.
Result<CurvaturePlan> curvaturePlan(CurvatureRun& run);

// Once the plan or the computing has refused it: takes it out of the options, and the notes and the section say why.
void tellLeftOut(CurvatureRun& run, const QuantityLeftOut& one);

// As the result and the progress file have it.
nlohmann::json planJson(const CurvaturePlan& plan);

} // namespace peakscope
