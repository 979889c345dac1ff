// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of a clipped step, by the experiment's method or searched for. No LibTorch; any thread.
#pragma once

#include "core/experiment/experiment.h"
#include "core/planning/inputs/clipping_rules.h"

namespace peakscope {

struct EstimateOptions;

// The plan of a fixed method, or (auto) the fastest that the byte budget allows on the machine that `options` speak of:
// whoever predicts a run must say the same as who runs it, for threads and kernels take memory of their own.
ClippingPlan clippingPlan(const Experiment& experiment, const EstimateOptions& options);

// The one plan that all of `ranks` processes follow which share a step's rows: for the one that has the most of them,
// and as if it held all parameters. Passes and their collectives are the same on every rank.
ClippingPlan clippingPlanOfRank(const Experiment& experiment, const EstimateOptions& options, std::int64_t ranks);

} // namespace peakscope
