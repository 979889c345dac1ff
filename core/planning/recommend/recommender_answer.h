// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The answer in one sentence: does what was asked for run here, and if not, what does.
#pragma once

#include "core/planning/recommend/recommender.h"

#include <string>

namespace peakscope {

// What runs, without how: "all weights in float32", "LoRA in bfloat16", "diagonal of 10000 parameters".
std::string trainedSubject(Goal goal, const Experiment& experiment);

// "No, not all weights in float32: 150 GiB. Yes with LoRA in bfloat16: 27.1 of 79.3 GiB, batch 4 x 2048."
std::string answerSentence(const Recommendation& found);

} // namespace peakscope
