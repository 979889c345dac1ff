// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a perturbation experiment runs at a time. Sums in float32 depend on it, and ties of an AUC may: it is chosen
// once, by the budget that a run begins with, and whoever resumes the run goes on with it. One thread.
#pragma once

#include "core/engine/curvature/vectors/progress_log.h"
#include "core/experiment/experiment.h"
#include "core/planning/curvature/curvature_planner.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace peakscope {

inline constexpr std::int64_t kTokenBytes = 8; // ids and labels are 64-bit

// What there is to run, whatever the budget.
struct PrmSizes {
    std::int64_t trainingRows = 0;   // of the largest training step; 0: nothing is trained
    std::int64_t featureRows = 0;    // of the features' batch
    std::int64_t featureLength = 1;  // tokens of its longest input
    std::int64_t scoredRows = 1;     // of the largest set of samples that is scored
    std::int64_t smallNoiseRows = 0; // of the check in float64; 0: it is not asked for, or the model is too large
    std::int64_t length = 1;         // tokens of the longest sample's input
    FeatureUnit unit = FeatureUnit::Tensor; // of the features
};

struct PrmBatching {
    std::int64_t budgetBytes = 0;           // it was chosen for; 0: none
    std::int64_t scoringRows = 1;           // of one forward pass, at most
    std::int64_t logitBytes = 0;            // of one piece of logits in an evaluation
    std::optional<CurvatureSizes> features; // nothing where the budget has no room for the least
    std::int64_t smallNoiseBatch = 0;       // rows of one pass of the check; 0: it is left out
    Error refusal;                          // why there is nothing for the features
};

// What the engine's plans of Hessian products are asked for: the features' in the experiment's dtype, the check's in
// float64 beside a copy of its own weights.
CurvatureNeeds featureNeeds(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes);
CurvatureNeeds smallNoiseNeeds(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes);

// Rows of one pass of the check of small noise that have room; 0: not even one, or it is not asked for. The experiment
// and its prediction both go by it.
std::int64_t smallNoiseBatch(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes);

// By experiment.budgetBytes.
PrmBatching chooseBatching(const Experiment& experiment, const PrmSizes& sizes);

// What the run that `log` remembers began with, else chosen now and noted. Features that had no room then are chosen
// by today's budget: nothing of them was computed.
PrmBatching batchingOf(const Experiment& experiment, const PrmSizes& sizes, ProgressLog& log);

} // namespace peakscope
