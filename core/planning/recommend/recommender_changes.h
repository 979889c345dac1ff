// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that a configuration makes against what was asked for: the one table that says what each does to
// training. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender_space.h"
#include "core/results/plans/tier.h"

#include <string>
#include <vector>

namespace peakscope {

struct PlanChange {
    const char* name; // "checkpointing"
    Tier tier;
    bool (*made)(const PlanChoice& asked, const PlanChoice& choice);
    // A sentence with numbers that says what it takes away; null where it is exact.
    std::string (*words)(const PlanChoice& asked, const PlanChoice& choice);
};

// Those of the table that `choice` makes, in the table's order: the last has the choice's tier.
std::vector<const PlanChange*> changesOf(const PlanChoice& asked, const PlanChoice& choice);

// Whether `choice` takes no more from what was asked for than `other`, change by change.
bool takesNoMore(const PlanChoice& asked, const PlanChoice& choice, const PlanChoice& other);

// Whether it is more than was asked for: longer or more rows.
bool exceeds(const PlanSpace& space, const PlanChoice& choice);

// "diagonal", or "several quantities".
std::string quantityWord(const PlanChoice& choice);

} // namespace peakscope
