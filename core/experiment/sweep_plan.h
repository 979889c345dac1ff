// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep before it runs: SWEEP.json read and checked, its points as experiments, the order in which they tell most.
// No LibTorch; any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/results/sweeps/sweep_document.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct SweepAxis {
    std::string key;
    std::vector<nlohmann::json> values;
};

struct PlannedPoint {
    nlohmann::json values = nlohmann::json::object();
    std::optional<Experiment> experiment; // absent where these values exclude one another
    std::string impossible;               // why
    std::int64_t predictedPeakBytes = 0;  // 0: not estimated (estimateSweep)
};

struct SweepPlan {
    std::vector<SweepAxis> axes; // in the file's order
    std::int64_t repeats = 1;
    bool timing = false;            // every point twice: its memory, and untraced its time
    bool predictOverBudget = false; // points that a smaller one and the estimate prove over budget are not run
    nlohmann::json base;
    std::vector<PlannedPoint> points; // the last axis fastest
};

inline constexpr std::size_t kMostSweepPoints = 10'000;

// Why a program cannot run an experiment that reads well; empty where it can.
using ExperimentRefusal = std::function<std::string(const Experiment&)>;

// {"base": EXPERIMENT, "grid": {KEY: [VALUE, …], …}, "repeats": 1, "timing": false, "over_budget": "measure|predict"}.
// `assignments` (KEY=VALUE) change the base. One line names what is wrong: an unknown key, an empty grid or list, a
// value that stands twice, keys of which one holds the other, more than kMostSweepPoints points, a base or a value that
// no experiment can have. Values that only exclude one another make their point `impossible`, unless all are.
Result<SweepPlan> sweepPlanFromJson(const nlohmann::json& document, const std::vector<std::string>& gridOrder,
                                    const std::vector<std::string>& assignments = {},
                                    const ExperimentRefusal& refusal = {});
// The file; - is standard input.
Result<SweepPlan> loadSweepPlan(const std::string& path, const std::vector<std::string>& assignments = {},
                                const ExperimentRefusal& refusal = {});

// The order to run the points in: the same for the same plan. With budgets and estimates those nearest to the frontier
// (on either side, line by line of the longest numeric axis) come first; otherwise the grid's corners, then what lies
// half-way, and so on. Impossible points are left out.
std::vector<std::size_t> sweepOrder(const SweepPlan& plan);

// The points that differ from `point` only by smaller sizes (sequence, batch, layers, …), where the estimate says that
// `point` is over the budget: measured over it, any of them proves that. By index.
std::vector<std::size_t> overBudgetWitnesses(const SweepPlan& plan, std::size_t point);
// The first of `witnesses` that was measured over the budget; nothing where the point has to be run to know.
std::optional<std::size_t> overBudgetProof(const std::vector<SweepPoint>& measured,
                                           const std::vector<std::size_t>& witnesses);

// The document before anything ran: every point waits, or is impossible.
SweepDocument emptySweep(const SweepPlan& plan);

// Whether `earlier` is the same sweep, so that its points can be taken over.
bool sameSweep(const SweepDocument& earlier, const SweepDocument& empty);
// A short word that is the same for the same sweep alone.
std::string sweepMark(const SweepDocument& sweep);

} // namespace peakscope
