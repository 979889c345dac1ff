// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Strategies in words. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender_search.h"

#include <string>
#include <vector>

namespace peakscope {

// "bfloat16 autocast, checkpointing, batch 4 x 512"
std::string titleOf(const PlanSpace& space, const PlanChoice& choice);

// What the choice gives up against what was asked for, a sentence each; empty where it gives up nothing.
std::vector<std::string> concessionsOf(const PlanSpace& space, const PlanChoice& choice);

// Sentences with bytes: the verdict, what fills the memory, what it costs in exactness, what in time.
std::vector<std::string> reasonsOf(const PlanSpace& space, const PlanEvaluation& evaluation,
                                   const MemoryEstimate& estimate);

// Puts what a dry run took in place of the reasons that the estimate gave for the strategy's verdict.
void putProof(const DryProof& proof, const Recommendation& found, Strategy& strategy);

// What a choice gives up of what was asked for, in a few words: "16-bit weights, 8-bit states"; "nothing".
std::string givenUp(const PlanSpace& space, const PlanChoice& choice);

// Why the first strategy is the first.
std::string firstSentence(const PlanSpace& space, const PlanEvaluation& first);

// Why a strategy stands below the one before it.
std::string comparison(const PlanSpace& space, const PlanEvaluation& before, const PlanEvaluation& after);

// "61 % of 79.1 GiB usable, 30.9 GiB to spare"
std::string shareSentence(std::int64_t reservedBytes, const PlanDevice& device);

std::string precisionWord(Dtype dtype, Amp amp);

} // namespace peakscope
