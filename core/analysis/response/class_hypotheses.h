// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The expectations of the three classes that the question comes from (Wfunc moves perplexity, Wsens membership AUC,
// Wboth both), each held against the comparisons with random groups of as many weights. Used by the experiment, the
// synthetic mode and the window. Any thread.
#pragma once

#include "core/analysis/response/noise_response.h"
#include "core/base/enum_words.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class HypothesisOutcome {
    Supported,    // at one noise scale at least the difference is significant as expected, at none the other way
    NotSupported, // as strong as the random group at every scale, or now stronger and now weaker
    Contradicted, // significant the other way at one scale at least, at none as expected
    CannotBeTold, // nothing is significant, and the intervals leave a difference that would matter possible
};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<HypothesisOutcome>{"supported", "not_supported",
                                                                               "contradicted", "cannot_be_told"};

// How strongly a class answers beside its random group at one noise scale.
enum class RelativeAnswer {
    Stronger, // significant at 5 % after Holm's correction
    Weaker,   // the same
    Alike,    // the 95 % interval lies within a quarter of the group's own change, or within 0.01
    Open,     // neither can be said
};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<RelativeAnswer>{"stronger", "weaker", "alike", "open"};

struct HypothesisTest {
    double sigma = 0;
    std::int64_t repeats = 0;                  // noise seeds
    double classChange = 0, controlChange = 0; // means over them, of the measure
    double difference = 0, low = 0, high = 0;  // ControlComparison::strength: in size for an attack; 95 %
    double adjusted = 1; // its p-value after Holm's correction over classes, scales and attacks; NaN: no test possible
    RelativeAnswer answer = RelativeAnswer::Open;
};

struct HypothesisFinding {
    UnitClass unitClass = UnitClass::Both;
    std::string measure;     // kLogPerplexityMeasure or an attack
    bool expectsMore = true; // else: less than the random group
    std::string statement;   // a sentence
    HypothesisOutcome verdict = HypothesisOutcome::CannotBeTold;
    std::string evidence;              // the numbers that decided, a sentence
    std::vector<HypothesisTest> tests; // noise rising
};

// What is expected of each class for the perplexity and for every attack. Empty where nothing was compared.
std::vector<HypothesisFinding> hypothesisFindings(std::span<const ControlComparison> comparisons,
                                                  std::span<const ResponseSummary> summaries);

// A class's whole expectation: supported where its two parts are, contradicted where one is.
struct HypothesisConclusion {
    UnitClass unitClass = UnitClass::Both;
    std::string statement; // a sentence
    HypothesisOutcome verdict = HypothesisOutcome::CannotBeTold;
    HypothesisOutcome perplexity = HypothesisOutcome::CannotBeTold;
    HypothesisOutcome attacks = HypothesisOutcome::CannotBeTold; // of all attacks together
    std::string evidence;                                        // the parts in words
};

// One for each class that has findings.
std::vector<HypothesisConclusion> hypothesisConclusions(std::span<const HypothesisFinding> findings);

// Rows of prm.hypotheses and prm.conclusions.
nlohmann::json toJson(const HypothesisFinding& finding);
nlohmann::json toJson(const HypothesisConclusion& conclusion);

} // namespace peakscope
