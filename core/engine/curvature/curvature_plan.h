// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How much a curvature run may hold at a time so that it keeps to its budget, decided before the first product.
#pragma once

#include "core/engine/curvature/curvature_run.h"

namespace peakscope {

// What one product holds beside the vectors that its caller owns: values and tangents of the kept nodes, and the
// working set of the widest operation, for `rows` rows and `directions` directions; bytes.
std::int64_t sweepBytes(const CurvatureRun& run, std::int64_t rows, std::int64_t directions);

// The largest sizes that fit the budget (without one: what is fast). The error says what the least would need, what
// fits and what is cheaper. A resumed run gets the plan it began with.
Result<CurvaturePlan> curvaturePlan(CurvatureRun& run);

} // namespace peakscope
