// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From thousands of evaluations to the few that are shown: the best way to run each kind of strategy, checked with the
// caching allocator's model. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommender_search.h"

#include <vector>

namespace peakscope {

struct RankedStrategy {
    PlanEvaluation evaluation;
    MemoryEstimate estimate;
};

// At most `most`, in order of rank; some places are kept for what needs more devices and for what does not fit.
std::vector<RankedStrategy> chooseStrategies(PlanSearch& search, const std::vector<PlanEvaluation>& ranked,
                                             std::size_t most);

} // namespace peakscope
