// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What would make one experiment smaller: the ladder from what was asked for, each rung as an experiment that runs. Any
// thread, cancellable.
#pragma once

#include "core/planning/recommend/recommender.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct ExperimentRemedy {
    std::string change; // all of them: "gradient accumulation: 4 micro-batches of 2; checkpointing: …"
    Tier tier = Tier::Exact;
    std::int64_t savesBytes = 0; // against what was asked for, both predicted
    std::int64_t peakBytes = 0;
    Verdict verdict = Verdict::Fits;
    nlohmann::json experiment;
};

struct ExperimentAdvice {
    std::int64_t askedPeakBytes = 0;        // predicted
    std::vector<ExperimentRemedy> remedies; // what fits with the fewest changes first, tier by tier
};

// `experiment` is a document as a run takes it; the rows of a step stay. Verdicts are of its budget, else of the
// device. Errors name the key.
Result<ExperimentAdvice> adviceFor(const nlohmann::json& experiment, const PlanDevice& device,
                                   std::stop_token stop = {});

} // namespace peakscope
