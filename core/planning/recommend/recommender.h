// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What should I run on this device: searches configurations of one model for one goal, ranks them and says why. Used by
// the recommend command and the window's Plan workspace; any thread, cancellable.
#pragma once

#include "core/base/result.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/recommend/plan_device.h"
#include "core/planning/scripts/script_loop.h"
#include "core/results/plans/plan_document.h"
#include "core/results/plans/tier.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

enum class Goal { Train, Hessian, DpSgd, Prm };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<Goal>{"train", "hessian", "dp-sgd", "prm"};
inline constexpr auto& goalFromName = fromName<Goal>;

// One thing that a strategy does otherwise than asked for: "checkpointing".
struct StrategyChange {
    std::string name;
    Tier tier = Tier::Exact;
};

// The program of a strategy with the libraries of Hugging Face, which `proved` is then of.
struct StrategyScript {
    std::string path;       // empty: there is none
    std::string command;    // as a shell takes it; trains
    std::string dryCommand; // the same dry, with the numbers of `proved`
    std::int64_t rowsAPass = 0;
    std::string absence; // why there is none, in half a sentence
    ScriptLoop loop = ScriptLoop::Trainer;
};

struct Strategy {
    std::string title; // "bfloat16, checkpointing, batch 4 x 512"
    Verdict verdict = Verdict::Fits;
    Tier tier = Tier::Exact; // against what was asked for
    std::vector<StrategyChange> changes;
    std::int64_t devicesNeeded = 1;
    MemoryEstimate estimate;          // of one device
    std::int64_t marginBytes = 0;     // usable - reserved - context; negative: missing
    double stepSeconds = 0;           // roofline; 0: the device's rates are unknown
    std::vector<std::string> reasons; // why it ranks here and what it costs, in words with bytes
    nlohmann::json experiment;        // ready to run
    std::string givesUp;              // in a few words; "nothing"
    double tokensPerSecond = 0;       // roofline, an upper bound; 0: unknown, or not of training
    std::optional<DryProof> proved;
    std::optional<StrategyScript> script; // only where one was requested
    std::vector<Strategy> folded; // variants under this row, in order of rank

    std::int64_t peakBytes() const { return knownBytes(proved, &DryProof::allocatedBytes, estimate.peakBytes); }
    std::int64_t reservedBytes() const
    {
        return knownBytes(proved, &DryProof::reservedBytes, estimate.peakReservedBytes);
    }
};

// One step of the degradation ladder, exact ones first: what that change alone saves against the step before.
struct LadderStep {
    std::string change;
    std::int64_t peakBytes = 0;
    std::int64_t savedBytes = 0;
    Verdict verdict = Verdict::Fits;
    nlohmann::json experiment;
    Tier tier = Tier::Exact; // of this step and all before it
};

struct Recommendation {
    std::string model; // as asked for
    std::string asked; // "all weights in float32"
    std::string answer; // one sentence: whether what was asked for runs, and what does
    std::int64_t parameters = 0;
    PlanDevice device;
    std::int64_t devices = 1;
    // Of several devices: what each reserves at the least with what was asked for, cut as finely as it goes; 0: one
    // device, or not searched.
    std::int64_t leastOfEach = 0;
    Goal goal = Goal::Train;
    // What fits by tier, then speed, within 2 % of it by fewer changes; then what needs more devices; then what does
    // not fit.
    std::vector<Strategy> strategies;
    std::vector<LadderStep> ladder;
    std::vector<std::string> wouldFit; // where nothing fits: devices, model size, approximation that would
    std::vector<std::string> notes;
    std::int64_t searched = 0; // configurations compared; few of one way with more rows are estimated
    double seconds = 0;        // spent searching
};

// Called while configurations are estimated, one call at a time, by any thread: how many are done, and of how many.
using PlanProgress = std::function<void(std::size_t, std::size_t)>;

struct RecommendOptions {
    nlohmann::json model;  // the experiment's "model": {"id": …}, {"dir": …} or a shape
    std::string modelText; // as the user wrote it
    PlanDevice device;
    std::int64_t devices = 1; // how many of it there are
    Goal goal = Goal::Train;
    nlohmann::json base = nlohmann::json::object(); // keys of an experiment that the user fixed ("data": {"seq": 512})
    std::int64_t stepTokens = 0;                    // of a step, all passes together, which sets the batch; 0: not said
    PlanProgress progress;
    std::size_t most = 40; // strategies returned; cuts what needs more devices or does not fit, never what fits
};

// An estimate of what is reserved on CUDA may be off by this share; measured over the rows of drawn questions against
// dry runs (docs/estimates.md).
inline constexpr double kReservedBand = 0.05;

// Verdicts, order and answer after what `proved` of its strategies says.
void applyProofs(Recommendation& recommendation);

Result<Recommendation> recommend(const RecommendOptions& options, std::stop_token stop = {});
nlohmann::json toJson(const Recommendation& recommendation);
// The same as views, tables and figures read it.
PlanDocument planDocument(const Recommendation& recommendation);

// Predicted verdicts over sequence x batch; cells beyond the model's positions are impossible. `experiment` gives
// everything but batch and sequence. Empty axes: powers of two up to what the model and the device can hold.
Result<PlannedMap> capacityMap(const nlohmann::json& experiment, const PlanDevice& device,
                               std::vector<std::int64_t> sequences = {}, std::vector<std::int64_t> batches = {},
                               std::stop_token stop = {});

// The largest batch (for curvature also probes and parameters) the device allows: the experiment with "fit" applied and
// a sentence that says what was chosen. `step` > 0 goes that many steps further down the ladder (after an over-budget
// end). An error where not even the smallest fits.
struct FittedExperiment {
    nlohmann::json experiment;
    std::string sentence;
    MemoryEstimate estimate;
};
Result<FittedExperiment> fitExperiment(const Experiment& experiment, std::int64_t budgetBytes, bool cuda, int step = 0);

} // namespace peakscope
