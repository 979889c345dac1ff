// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of forward passes that only score samples, as a perturbation experiment makes them. Used by its
// prediction; any thread.
#pragma once

#include "core/planning/inputs/memory_estimate.h"

namespace peakscope {

struct EvaluationSizes {
    std::int64_t rows = 1;       // of one forward pass
    std::int64_t length = 1;     // tokens of a row
    std::int64_t logitBytes = 0; // of one piece of logits; three such are alive
    std::int64_t copies = 0;     // of all weights, beside the model's own
};

// The experiment's weights and one forward pass without a graph over sizes.rows rows, operator by operator, and the
// numbers of the tokens in pieces (core/engine/prm/sample_scorer.cpp).
MemoryEstimate simulateEvaluation(const Experiment& experiment, const EvaluationSizes& sizes,
                                  const EstimateOptions& options);

} // namespace peakscope
