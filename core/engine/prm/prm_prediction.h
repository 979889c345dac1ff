// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The predicted peak of a perturbation experiment: the largest of its stages, each with the tool that knows it best.
// Called by the experiment once its samples are known, before anything is trained. One thread.
#pragma once

#include "core/planning/experiment.h"
#include "core/planning/memory_estimate.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct PrmSizes {
    std::int64_t trainingRows = 0;   // of the largest training step; 0: nothing is trained
    std::int64_t featureRows = 0;    // of the features' batch
    std::int64_t scoringRows = 1;    // of one forward pass, at most
    std::int64_t smallNoiseRows = 0; // of the check in float64; 0: it is not made
    std::int64_t length = 1;         // tokens of the longest sample's input
    std::int64_t logitBytes = 0;     // of one piece of logits in an evaluation
    std::string unit;                // of the features
};

// {"prediction": {"peak_bytes", "peak_reserved_bytes", "components", "verified", "stages": {name: bytes}}}; `verified`
// says that a training step makes the peak, which is simulated operator by operator; the other stages are bounds. An
// empty object where a stage cannot be computed; then `notes` says why.
nlohmann::json prmPrediction(const Experiment& experiment, const PrmSizes& sizes, const EstimateOptions& options,
                             std::vector<std::string>& notes);

} // namespace peakscope
