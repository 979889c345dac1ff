// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates every configuration of a space and puts them in order. Used within this folder only; any thread.
#pragma once

#include "core/planning/recommender_space.h"
#include "core/planning/roofline.h"

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
    double concession = 0;      // how far it is from what was asked for; 0: not at all
    double secondsPerToken = 0; // curvature: of the whole computation
};

class PlanSearch
{
public:
    PlanSearch(const PlanSpace& space, std::stop_token stop);

    // Every choice that can run, in order of rank. Reserved bytes are the allocated ones times what the target's own
    // simulation of the caching allocator adds.
    std::vector<PlanEvaluation> all();

    // One choice, on any device count; nothing where it is impossible. `derived` false: with the caching allocator's
    // model, and `estimate` is filled in.
    std::optional<PlanEvaluation> evaluate(const PlanChoice& choice, bool derived, MemoryEstimate* estimate = nullptr);

    std::int64_t searched() const { return m_searched; }
    const PlanSpace& space() const { return m_space; }
    bool stopped() const { return m_stop.stop_requested(); }
    const std::stop_token& stopToken() const { return m_stop; }

private:
    std::optional<PlanEvaluation> evaluateWith(Experiment& experiment, const PlanChoice& choice, bool derived,
                                               MemoryEstimate* estimate) const;
    void findAllocatorShare();

    const PlanSpace& m_space;
    ModelWork m_work;
    std::stop_token m_stop;
    std::int64_t m_searched = 0;
    double m_allocatorShare = 1;
};

// Whether a ranks before b.
bool ranksBefore(const PlanEvaluation& a, const PlanEvaluation& b);
// 0: runs at ease, 1: tight, 2: on more devices than there are, 3: not at all.
int rankClass(Verdict verdict);

// How far a choice is from what was asked for: rounding, another optimiser, adapters, shorter sequences, another
// quantity. What is exact (checkpointing, chunks, accumulation, sharding) costs nothing here.
double concessionOf(const PlanSpace& space, const PlanChoice& choice);

// The verdict of an estimate that takes `devices` of the space's devices.
Verdict verdictOf(const PlanSpace& space, std::int64_t reservedBytes, std::int64_t devices);

} // namespace peakscope
