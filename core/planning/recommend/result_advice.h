// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result says of its own peak, and what would make its experiment smaller: `advise` and the window's doctor. Any
// thread.
#pragma once

#include "core/planning/recommend/experiment_advice.h"
#include "core/results/tables.h"

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace peakscope {

// Whether it holds an experiment that could be changed; asked of results of Peakscope's own (importedFormat).
bool canBeAdvised(const RunResult& result);

// Whether it ended for lack of memory: over its budget, out of the device's or the machine's, or killed by the system
// as those are that take too much.
bool endedForMemory(const RunResult& result);

// The device that the run was on, wherever it is: its budget, else its memory as far as the result says.
PlanDevice deviceOfResult(const RunResult& result);

// Components alive at the peak, the largest first.
std::vector<std::pair<Component, std::int64_t>> peakHolders(const RunResult& result);

// Errors name the key of the experiment. Takes seconds.
Result<ExperimentAdvice> adviceFor(const RunResult& result, std::stop_token stop = {});

// A row a remedy: verdict, tier, saves_bytes, predicted_peak_bytes, change.
Table remediesTable(const ExperimentAdvice& advice);

} // namespace peakscope
