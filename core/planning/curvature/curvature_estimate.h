// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The estimate of a curvature run by the plan that the engine itself makes. Any thread.
#pragma once

#include "core/planning/curvature/closed_forms.h"
#include "core/planning/curvature/curvature_planner.h"

#include <optional>

namespace peakscope {

// Whether the engine runs this experiment by the plan, so that the estimate is its own prediction: products by hand
// (method auto, forward_over_reverse, row or jets), float32 or float64, on the CPU, parameters whole or sharded
// (zero3).
bool plannedByEngine(const Experiment& experiment, ProductMethod method);

// What a rank holds of the parameters under zero3.
Result<std::int64_t> shardedParameterBytes(const Experiment& experiment, std::int64_t ranks);

// Whether the planned peak of such a run is the most that it can take rather than what it will take (CurvatureSizes).
// `experiment`: with a rank's rows.
bool peakIsBound(const Experiment& experiment, std::int64_t ranks);

// Why no machine computes `quantity` of this experiment (fullHessianRefusal); empty where one may.
std::string refusalAnywhere(const Experiment& experiment, CurvatureQuantity quantity);

// `experiment`: with a rank's rows. `resident`: weights and data of a rank. Where not even the least fits
// experiment.budgetBytes, the peak is what an unlimited run takes, and a note says what the engine would answer.
Result<FormMoment> plannedMoment(const Experiment& experiment, const FormMoment& resident, std::int64_t ranks,
                                 std::vector<std::string>& notes);

} // namespace peakscope
