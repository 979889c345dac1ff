// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The degradation ladder: one change after the other, exact techniques first (fewer rows at once, a chunked loss head,
// checkpointing), then what rounds differently, then what changes the training; sharding, over more devices, last. Used
// within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender_search.h"

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct LadderRung {
    std::string change; // "batch 4 -> 2"; the first: "as asked for: …"
    PlanChoice choice;  // with this change and all before it
};

// From `start` down, without sharding: what saves memory, tier by tier. What the user fixed stays.
std::vector<LadderRung> ladderRungs(PlanSearch& search, const PlanChoice& start);

// The ladder with what each step saves, sharding last: `elsewhere`, the strategy of the table that is exact over more
// devices, or else over as many devices as it takes.
std::vector<LadderStep> ladderSteps(PlanSearch& search, const std::optional<PlanChoice>& elsewhere = {});

// The choice over the fewest devices, more than there are, that are enough by the caching allocator's model, whatever
// that is off by (kReservedBand); nothing where no number is. `estimate`: of it, where not null.
std::optional<PlanEvaluation> shardsThatFit(PlanSearch& search, const PlanChoice& choice, MemoryEstimate* estimate);

// What would fit where nothing does: devices, a smaller model, an approximation.
std::vector<std::string> whatWouldFit(PlanSearch& search, const std::vector<PlanEvaluation>& ranked);

} // namespace peakscope
