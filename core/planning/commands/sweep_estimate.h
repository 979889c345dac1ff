// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep's points are predicted to need, before any of them runs. No LibTorch; any thread.
#pragma once

#include "core/experiment/sweep_plan.h"
#include "core/planning/inputs/memory_estimate.h"

namespace peakscope {

// Fills in every point's predicted peak, for the device that `options` speak of.
void estimateSweep(SweepPlan& plan, const EstimateOptions& options);

} // namespace peakscope
