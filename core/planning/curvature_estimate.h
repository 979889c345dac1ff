// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The estimate of a curvature run by the plan that the engine itself makes. Used within this folder only; any thread.
#pragma once

#include "core/planning/closed_forms.h"
#include "core/planning/curvature_planner.h"

#include <optional>

namespace peakscope {

// Whether the engine runs this experiment by the plan, so that the estimate is its own prediction: products by hand
// (method auto, forward_over_reverse, row or jets), float32 or float64, on the CPU, not sharded.
bool plannedByEngine(const Experiment& experiment, const EstimateOptions& options, const std::string& method);

// `resident`: weights and data, as simulated. Where not even the least fits experiment.budgetBytes, the peak is what an
// unlimited run takes, and a note says what the engine would answer.
Result<FormMoment> plannedMoment(const Experiment& experiment, const FormMoment& resident,
                                 std::vector<std::string>& notes);

} // namespace peakscope
