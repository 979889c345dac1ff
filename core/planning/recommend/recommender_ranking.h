// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From thousands of evaluations to those that are shown: whatever fits and is not worse in every way than another, the
// few nearest of the rest, all checked with the caching allocator's model. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender_search.h"

#include <vector>

namespace peakscope {

struct RankedStrategy {
    PlanEvaluation evaluation;
    MemoryEstimate estimate;
    bool fillsCard = false; // its rows are the most, of those searched, that leave room
};

// In order of rank. `most` cuts what needs more devices and what does not fit, never what fits.
std::vector<RankedStrategy> chooseStrategies(PlanSearch& search, const std::vector<PlanEvaluation>& ranked,
                                             std::size_t most);

} // namespace peakscope
