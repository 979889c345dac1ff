// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The estimator's prediction for the run that is about to start, as the result's "prediction" section.
#pragma once

#include "core/experiment/experiment.h"
#include "core/model/expert_record.h"
#include "core/planning/inputs/memory_estimate.h"

#include <nlohmann/json.hpp>

namespace peakscope {

// What the estimator is told about this LibTorch on that device.
EstimateOptions estimateOptions(const std::string& device, std::int64_t threads);

// {"prediction": {"peak_bytes", "peak_reserved_bytes", "components", "verified", "bound"}}; "bound" (true) only where
// peak_bytes is the most that the run can take and no prediction of what it will take; an empty object where the
// experiment cannot be estimated or is not a training run. `device` is "cpu" or "cuda:N", `threads` what LibTorch
// computes with, `ranks` the processes that share a step (experiment.ranks may leave it to the launcher).
// Of a mixture "experts" says whose loads it takes: even, or with `experts` those that the run had.
nlohmann::json predictionSection(const Experiment& experiment, const std::string& device, std::int64_t threads,
                                 std::int64_t ranks = 1, const ExpertRecord* experts = nullptr);

} // namespace peakscope
