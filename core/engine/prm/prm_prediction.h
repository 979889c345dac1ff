// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The predicted peak of a perturbation experiment: the largest of its stages, each with the tool that knows it best.
// Called by the experiment once its samples are known, before anything is trained. One thread.
#pragma once

#include "core/engine/prm/prm_batching.h"
#include "core/experiment/experiment.h"
#include "core/planning/inputs/memory_estimate.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// {"prediction": {"peak_bytes", "peak_reserved_bytes", "components", "verified", "stages": {name: bytes}}}; `verified`
// says that a training step makes the peak. Training and the evaluations are simulated operator by operator; stages of
// Hessian products ("features", "small_noise") are bounds. A stage that cannot be foreseen is left out, and one that
// the budget has no room for stands there as it would be without; `notes` says so.
nlohmann::json prmPrediction(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
                             const EstimateOptions& options, std::vector<std::string>& notes);

// Peak of the evaluations among noises.
std::int64_t evaluationBytes(const Experiment& experiment, const PrmSizes& sizes, const PrmBatching& batching,
                             const EstimateOptions& options);

} // namespace peakscope
