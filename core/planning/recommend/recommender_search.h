// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates every configuration of a space and puts them in order. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommend/recommender_space.h"
#include "core/planning/recommend/roofline.h"
#include "core/results/plans/tier.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace peakscope {

struct PlanEvaluation {
    PlanChoice choice;
    std::int64_t peakBytes = 0;
    std::int64_t reservedBytes = 0;
    StepWork work;
    Verdict verdict = Verdict::DoesNotFit;
    Tier tier = Tier::Exact;
    std::size_t changes = 0;     // against what was asked for
    std::size_t concessions = 0; // of these, those that are not exact
    double secondsPerToken = 0;  // curvature: of the whole computation
};

class PlanSearch
{
public:
    PlanSearch(const PlanSpace& space, std::stop_token stop);

    // Every choice that can run and does not come later, in order of rank. Reserved bytes are the allocated ones times
    // what the target's own simulation of the caching allocator adds.
    std::vector<PlanEvaluation> all(const PlanProgress& progress = {});

    // Shorter rows in training are for what does not fit with all of them: their choices are evaluated one by one then.
    bool comesLater(const PlanChoice& choice) const;

    // One choice, on any device count; nothing where it is impossible. `derived` false: with the caching allocator's
    // model, and `estimate` is filled in.
    std::optional<PlanEvaluation> evaluate(const PlanChoice& choice, bool derived, MemoryEstimate* estimate = nullptr);

    // One choice as all() estimates it: with the form of the update that it needs. Of what is far from fitting, the
    // bytes are those that it holds at the least.
    std::optional<PlanEvaluation> evaluateEither(const PlanChoice& choice) const;

    std::int64_t searched() const { return m_searched; }
    const PlanSpace& space() const { return m_space; }
    bool stopped() const { return m_stop.stop_requested(); }
    const std::stop_token& stopToken() const { return m_stop; }

private:
    std::optional<PlanEvaluation> evaluateWith(Experiment& experiment, const PlanChoice& choice, bool derived,
                                               MemoryEstimate* estimate) const;
    // The same from bytes that are known; `kept`: activations at the most.
    PlanEvaluation evaluationOf(Experiment& experiment, const PlanChoice& choice, std::int64_t peakBytes,
                                std::int64_t reservedBytes, std::int64_t kept) const;
    std::optional<PlanEvaluation> evaluateEither(Experiment& experiment, const PlanChoice& choice) const;
    void findAllocatorShare();

    const PlanSpace& m_space;
    ModelWork m_work;
    std::stop_token m_stop;
    std::int64_t m_searched = 0;
    double m_allocatorShare = 1;
};

// What a choice of training holds on a device at the least: weights and states, and what each layer keeps for backward.
double leastBytes(const PlanSpace& space, const PlanChoice& choice);

// What fits by tier and speed, then what needs more devices by tier and their number, then what does not fit by tier
// and what is missing. Of equals the one with more memory to spare comes first, then that of fewer changes.
bool ranksBefore(const PlanEvaluation& a, const PlanEvaluation& b);
// The same, but speeds within 2 % are equals: for choosing between ways to run one thing.
bool preferred(const PlanEvaluation& a, const PlanEvaluation& b);
// Whether a is slower than b, or as slow, and larger.
bool isWorse(const PlanEvaluation& a, const PlanEvaluation& b);
// Whether a makes b needless where it takes no more from what was asked for: b is worse, or a is no slower (by 2 %), no
// larger (by 1 % of the device's memory, 0.25 % where that is short) and to be preferred.
bool makesNeedless(const PlanSpace& space, const PlanEvaluation& a, const PlanEvaluation& b);
// Whether a is as quick as b, within 2 %, and does fewer things that are not exact.
bool changesLess(const PlanEvaluation& a, const PlanEvaluation& b);

// 0: runs, tight or not, 1: on more devices than there are, 2: not at all.
int rankClass(Verdict verdict);

// The verdict of an estimate that takes `devices` of the space's devices.
Verdict verdictOf(const PlanSpace& space, std::int64_t reservedBytes, std::int64_t devices);

} // namespace peakscope
