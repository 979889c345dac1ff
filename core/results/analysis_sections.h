// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the analysis sections of a result hold (features, embedding, partition, prm), read and checked once
// (section_readers.h) for the Analyse workspace, its tables and its figures. Plain data; any thread.
#pragma once

#include "core/results/component.h"
#include "core/results/unit_class.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// A class of parameter units, the random control, or none of them.
enum class UnitGroup { Func, Sens, Both, Control, None };
inline constexpr std::size_t kUnitGroupCount = 5;
UnitGroup groupOf(UnitClass unitClass);
std::optional<UnitGroup> unitGroupFromName(std::string_view name); // "Wfunc", …, "control"
std::string_view name(UnitGroup group);                            // "" for None

struct AnalysisUnit {
    std::string name;
    std::string parameter; // the tensor that it is a part of
    std::string kind;      // "attention"; may be empty
};

// False of a column that only says how well another one is known: nothing is told apart by it.
inline bool isUnitFeature(std::string_view column)
{
    return column != "hessian_trace_error";
}

struct UnitPlace {
    double x = kNoNumber, y = kNoNumber;
    bool known() const { return x == x && y == y; }
};

// An estimate with its interval; ends that are not numbers: no interval is known.
struct Spread {
    double mean = kNoNumber, low = kNoNumber, high = kNoNumber;
    bool known() const { return mean == mean; }
    bool hasInterval() const { return low == low && high == high; }
};

// Which parameters the noise went into: a class, or the random group that stands against a class.
struct ResponseGroup {
    UnitGroup group = UnitGroup::None;
    std::optional<UnitClass> controlOf; // of a control: where it is said
    bool operator==(const ResponseGroup&) const = default;
};

// One drawing of noise and one attack; what is not known is not a number.
struct ResponseRow {
    ResponseGroup group;
    double sigma = 0;
    std::int64_t repeat = 0;
    std::string attack;
    double perplexity = kNoNumber, deltaPerplexity = kNoNumber, deltaLogPerplexity = kNoNumber;
    double auc = kNoNumber, deltaAuc = kNoNumber;
    Spread deltaAucSpread; // of the samples, where the file says it
};

// The mean over the drawings of one noise, group and attack, with its 95 % interval over them.
struct ResponsePoint {
    ResponseGroup group;
    double sigma = 0;
    std::string attack;
    std::int64_t repeats = 0;
    Spread perplexity, logPerplexity, auc; // changes
};

// What noise in a class did beyond what it did in the control (or beyond no noise, see AnalysisData::hasControl).
struct GroupEffect {
    UnitClass unitClass = UnitClass::Both;
    double sigma = 0;
    std::string measure;         // "log_perplexity", "perplexity" or an attack
    Spread difference;           // in the measure's own unit
    double hedges = kNoNumber;   // standardised
    double cliff = kNoNumber;    // P(more) - P(less)
    double pValue = kNoNumber;   // two-sided
    double adjusted = kNoNumber; // after Holm's correction
    bool significant() const { return adjusted < 0.05; }
};

// A class beside its random group at one noise, as a hypothesis was judged.
struct HypothesisScale {
    double sigma = 0;
    std::int64_t repeats = 0;
    double classChange = kNoNumber, controlChange = kNoNumber;
    Spread difference;
    double adjusted = kNoNumber; // its p-value after Holm's correction
    std::string answer;          // "stronger", "weaker", "alike", "open"
};

// What is expected of a class by one measure; words as in the file.
struct HypothesisRow {
    std::string group, measure, statement, verdict, evidence;
    bool more = true;                   // else: less than the random group
    std::vector<HypothesisScale> tests; // empty in files of earlier versions
};

// A class's expectation as a whole.
struct ConclusionRow {
    std::string group, statement, verdict;
    std::string perplexity, attacks; // verdicts of its parts
};

struct AnalysisData {
    bool synthetic = false;

    std::vector<std::string> featureNames;
    std::vector<AnalysisUnit> units;
    std::vector<double> features; // units x names, row by row

    std::vector<UnitPlace> places; // of the embedding, one a unit (some unknown); empty where none is stored
    std::vector<int> clusters;     // -1: noise; empty where none is stored
    std::optional<std::int64_t> clusterCount;
    std::optional<double> silhouette, trustworthiness;
    nlohmann::json embeddingParameters = nlohmann::json::object();

    std::vector<double> alignment, sparsity; // one a unit, 0 to 1; empty where there is no such feature
    std::vector<UnitGroup> labels;           // one a unit; empty where none is stored
    std::array<std::int64_t, 3> counts{};    // by UnitClass
    bool hasCounts = false;
    ClassThresholds thresholds;
    bool hasThresholds = false;
    PartitionRule rule = PartitionRule::Absolute;

    double baselinePerplexity = kNoNumber;
    std::map<std::string, Spread> baselineAuc; // of the attacks on the model without noise
    std::vector<ResponseRow> rows;
    std::vector<ResponsePoint> points;
    std::vector<GroupEffect> effects;
    bool hasControl = false; // effects are against the control, else against no noise
    std::vector<HypothesisRow> hypotheses;
    std::vector<ConclusionRow> conclusions;

    std::size_t unitCount() const { return units.size(); }
    bool hasEmbedding() const { return !places.empty(); }
    bool hasPlane() const { return !alignment.empty() && !sparsity.empty(); }
    bool hasResponses() const { return !points.empty(); }
    bool empty() const { return units.empty() && !hasResponses() && !hasCounts && !clusterCount; }
    UnitGroup labelOf(std::size_t unit) const { return unit < labels.size() ? labels[unit] : UnitGroup::None; }

    std::vector<double> sigmas() const;        // ascending
    std::vector<std::string> attacks() const;  // those with a known change of AUC, in order
    std::vector<ResponseGroup> groups() const; // classes first, then controls
    bool hasPerplexity() const;
};

} // namespace peakscope
