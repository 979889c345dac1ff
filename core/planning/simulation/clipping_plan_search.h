// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The search behind clipping "auto": how many rows at a time, and for each shape of matrix how norms and sums are made,
// so that the step is fastest within the bytes allowed. Used by clippingPlan and its tests; any thread.
#pragma once

#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/simulation/clipping_plan.h"

#include <map>
#include <optional>

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
    // Simulations of one search at the most, however many rows a batch has.
    static constexpr std::size_t kMostSimulations = 24;

    // The experiment must outlive it.
    ClippingSearch(const Experiment& experiment, const EstimateOptions& options);

    // The fastest plan within the budget (without one: within a plain step's peak and a little), by the model below;
    // where the simulated memory says that it does not fit, the fastest of several that do.
    ClippingPlan plan();
    // Plans whose memory was simulated, the plain step among them.
    std::size_t simulations() const { return m_simulations; }

    const std::vector<ClippingGroup>& groups() const { return m_groups; }
    // The fastest candidate within `limit` bytes, or the smallest where none is.
    ClippingCandidate best(std::int64_t limit) const;
    // `plain`: of a step without clipping.
    std::int64_t peakOf(const std::vector<ClippingRule>& rules, std::int64_t rows, bool plain) const;
    double secondsOf(const std::vector<ClippingRule>& rules, std::int64_t rows) const;

private:
    // A plan that may be worth a simulation.
    struct Option {
        ClippingCandidate candidate;
        // One rule for all, vectors and tables too, and without the plain step's gradients of whole tables.
        bool pure = false;
        bool fixed = false; // what one of the fixed methods does
    };
    // Simulated peaks, by Option: rows, pure, rules.
    using OptionKey = std::vector<int>;

    ClippingPlan planOf(const ClippingCandidate& chosen) const;
    ClippingPlan planOf(const Option& option) const;
    static OptionKey keyOf(const Option& option);
    // Of plain steps; nothing where they cannot be simulated.
    std::optional<std::int64_t> plainPeak();
    std::optional<std::int64_t> simulatedPeak(const Option& option);
    std::vector<Option> otherOptions(std::int64_t limit) const;
    std::optional<ClippingPlan> firstThatFits(const std::vector<Option>& options, std::int64_t allowed,
                                              std::size_t mostSimulations, bool onlyLikely);
    static std::vector<Option> smallest(const std::vector<Option>& options);
    ClippingCandidate bestOfRows(std::int64_t rows, std::int64_t limit) const;
    static bool isBetter(const ClippingCandidate& a, const ClippingCandidate& b, std::int64_t limit);
    std::int64_t bytesOf(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;
    void addSpec(const ParameterSpec& spec);
    std::int64_t extraBytes(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;
    double extraSeconds(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const;

    const Experiment& m_experiment;
    EstimateOptions m_options;
    std::vector<ClippingGroup> m_groups;
    std::map<OptionKey, std::optional<std::int64_t>> m_peaks;
    std::optional<Option> m_least; // of those simulated
    std::int64_t m_leastBytes = 0;
    std::size_t m_simulations = 0;
    // The least by which a simulated peak passed that of the model: it errs alike for plans of one experiment.
    std::int64_t m_correction = 0;
    std::int64_t m_elementBytes = 4;
    std::int64_t m_trainedElement = 4; // bytes, of adapters where they are trained
    std::int64_t m_tokens = 1;
    std::int64_t m_modelBytes = 0;
    std::int64_t m_trainedBytes = 0;
    std::int64_t m_stateBytes = 0; // kept beside what is trained
    std::int64_t m_largestBytes = 0;
};

} // namespace peakscope
