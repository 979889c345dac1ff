// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The search behind clipping "auto": how many rows at a time, and for each shape of matrix how norms and sums are made,
// so that the step is fastest within the bytes allowed. Used by clippingPlan and its tests; any thread.
#pragma once

#include "core/planning/clipping_plan.h"

namespace peakscope {

// Trained matrices of one shape, all within the layers or all outside; they get one rule.
struct ClippingGroup {
    std::string key; // "1024 x 256"
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool inLayers = true;
    std::vector<std::string> names;
};

struct ClippingCandidate {
    std::int64_t rows = 1;
    std::vector<ClippingRule> rules; // of each group
    std::int64_t peakBytes = 0;      // by the model below, to compare plans with
    double seconds = 0;              // beyond a plain step, likewise
};

class ClippingSearch
{
public:
    explicit ClippingSearch(const Experiment& experiment);

    // The fastest plan within the budget (without one: within a plain step's peak and a little), by the model below;
    // where the simulated memory says that it does not fit, the fastest of several that do.
    ClippingPlan plan() const;

    const std::vector<ClippingGroup>& groups() const { return m_groups; }
    // The fastest candidate within `limit` bytes, or the smallest where none is.
    ClippingCandidate best(std::int64_t limit) const;
    // `plain`: of a step without clipping.
    std::int64_t peakOf(const std::vector<ClippingRule>& rules, std::int64_t rows, bool plain) const;
    double secondsOf(const std::vector<ClippingRule>& rules, std::int64_t rows) const;

private:
    ClippingPlan planOf(const ClippingCandidate& chosen) const;
    // Of the run by a plan, or (null) of plain steps.
    std::int64_t simulatedPeak(const ClippingPlan* plan) const;
    std::vector<ClippingPlan> otherPlans(std::int64_t limit) const;
    ClippingCandidate bestOfRows(std::int64_t rows, std::int64_t limit) const;
    static bool isBetter(const ClippingCandidate& a, const ClippingCandidate& b, std::int64_t limit);
    std::int64_t bytesOf(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;
    void addSpec(const ParameterSpec& spec);
    std::int64_t extraBytes(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;
    double extraSeconds(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;

    const Experiment& m_experiment;
    std::vector<ClippingGroup> m_groups;
    std::int64_t m_elementBytes = 4;
    std::int64_t m_tokens = 1;
    std::int64_t m_modelBytes = 0;
    std::int64_t m_trainedBytes = 0;
    std::int64_t m_largestBytes = 0;
};

} // namespace peakscope
