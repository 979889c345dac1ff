// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The configurations that the recommender searches: what the user fixed, what is asked for, and every combination of
// the rest. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender.h"

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// One configuration. Everything else of its experiment is the space's own.
struct PlanChoice {
    Dtype dtype = Dtype::Float32;
    Amp amp = Amp::None;
    bool checkpointing = false;
    OptimizerKind optimizer = defaultOptimizer();
    Implementation implementation = Implementation::Auto; // of its update
    WeightRounding rounding = WeightRounding::Nearest;
    bool masters = false;
    AttentionKind attention = AttentionKind::Auto;
    LossHead lossHead = LossHead::Naive;
    std::int64_t loraRank = 0;
    bool wideAdapters = false;                      // in float32 beside 16-bit weights
    Quantization quantization = Quantization::None; // of the weights under adapters
    std::int64_t batch = 4; // rows of a step over all devices
    std::int64_t seq = 128;
    std::int64_t physical = 4; // rows of one pass on one device
    Clipping clipping = Clipping::None;
    Sharding sharding = Sharding::None;
    std::int64_t devices = 1;
    std::optional<CurvatureQuantity> quantity; // curvature only; none: the several that were asked for
    std::optional<ProductMethod> method;       // curvature only
    std::int64_t count = 0;                    // sampled parameters; 0: as the experiment selects

    std::int64_t rowsOfDevice() const { return (batch + devices - 1) / devices; }
    bool operator==(const PlanChoice&) const = default;
};

// Keys that the user fixed: the search leaves them as they are.
struct PlanFixed {
    bool dtype = false, amp = false, checkpointing = false, optimizer = false, implementation = false, rounding = false,
         masters = false, attention = false, lossHead = false, lora = false, adapterType = false, quantization = false,
         batch = false, seq = false, physical = false, clipping = false, sharding = false, quantity = false,
         method = false, count = false;
};

struct PlanSpace {
    Goal goal = Goal::Train;
    PlanDevice device;
    std::int64_t devices = 1;
    nlohmann::json document; // of the base experiment, only what was asked for
    Experiment base;         // the same, read
    PlanFixed fixed;
    PlanChoice target; // what was asked for: what would run if memory were no matter
    std::vector<PlanChoice> choices;
    std::vector<std::int64_t> moreRows; // of a pass, ascending, of which a kept way is given the most
    std::vector<std::string> notes; // what was understood other than written
};

// Whether anything of this goal runs on several devices: noise goes into the weights of one.
constexpr bool runsSharded(Goal goal)
{
    return goal != Goal::Prm;
}

// Whether second derivatives are computed, of the whole or of units: for checkCurvaturePrecision().
constexpr bool takesCurvature(Goal goal)
{
    return goal == Goal::Hessian || goal == Goal::Prm;
}

// Whether the engine runs it over sharded parameters: training but by whole tensors, of curvature what
// curvature_planner.h says.
bool runsSharded(const PlanChoice& choice);

// Whether the update takes all parameters together only because nothing is said.
bool mayUpdateOneByOne(const PlanSpace& space, const PlanChoice& choice);

// Whether weights or states are kept in fewer bits than they are updated in.
inline bool updatesWide(const PlanChoice& c)
{
    return updatesWide(*c.optimizer, {c.rounding, c.masters});
}

// Whether an update in float32 of fewer bits has a form: all parameters together has none, nor one of whole tensors.
bool mayUpdateWide(const PlanSpace& space);

// Whether the update may move into backward, where each gradient goes once it is used.
bool mayUpdateInBackward(const PlanSpace& space, const PlanChoice& choice);

// Whether 16-bit numbers are bfloat16 there; else they are float16.
inline bool hasBFloat16(const PlanDevice& device)
{
    return !device.cuda || device.bfloat16Flops > 0 || device.float16Flops <= 0;
}

// Whether a step has the rows that were asked for on any number of devices: where they are fixed, say what is computed
// (curvature) or how much noise there is (DP-SGD). Else each device keeps its own.
inline bool keepsRows(const PlanSpace& space)
{
    return space.fixed.batch || space.goal == Goal::Hessian || space.goal == Goal::DpSgd;
}

// With adapters of 16-bit weights in float32, as peft trains them, where nothing is said of how they are kept.
PlanChoice withWideAdapters(const PlanSpace& space, PlanChoice choice);

// The choice on another number of devices.
PlanChoice onDevices(const PlanSpace& space, PlanChoice choice, std::int64_t devices);

// Reads and checks what the user fixed; errors name the key.
Result<PlanSpace> planSpace(const RecommendOptions& options);

// As many ranks as an experiment may have.
std::int64_t mostDevices();

// Tokens of the longest row that the model takes.
std::int64_t longestSequence(const ModelConfig& config);

// Of adapters where none is asked for: 16, or what the model's layers can hold.
std::int64_t usualAdapterRank(const ModelConfig& config);

// Adds every configuration around the space's target.
void listChoices(PlanSpace& space);

// Turns `experiment` (a copy of the space's base) into the choice's.
void applyChoice(Experiment& experiment, const PlanChoice& choice);

// The experiment as a document, ready to run: the keys that were asked for and those that the choice sets.
nlohmann::json documentOf(const PlanSpace& space, const PlanChoice& choice);

EstimateOptions estimateOptionsOf(const PlanSpace& space, const PlanChoice& choice);

} // namespace peakscope
