// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the analysis sections of a result hold (features, embedding, partition, prm), read and checked once for the
// Analyse workspace, its tables and its figures. Plain data and pure functions; any thread.
#pragma once

#include "core/analysis/partition.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

inline constexpr double kAbsentNumber = std::numeric_limits<double>::quiet_NaN();

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

struct UnitPlace {
    double x = kAbsentNumber, y = kAbsentNumber;
    bool known() const { return x == x && y == y; }
};

// An estimate with its interval; ends that are not numbers: no interval is known.
struct Spread {
    double mean = kAbsentNumber, low = kAbsentNumber, high = kAbsentNumber;
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
    double perplexity = kAbsentNumber, deltaPerplexity = kAbsentNumber, deltaLogPerplexity = kAbsentNumber;
    double auc = kAbsentNumber, deltaAuc = kAbsentNumber;
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
    std::string measure;             // "log_perplexity", "perplexity" or an attack
    Spread difference;               // in the measure's own unit
    double hedges = kAbsentNumber;   // standardised
    double cliff = kAbsentNumber;    // P(more) - P(less)
    double pValue = kAbsentNumber;   // two-sided
    double adjusted = kAbsentNumber; // after Holm's correction
    bool significant() const { return adjusted < 0.05; }
};

// A class beside its random group at one noise, as a hypothesis was judged.
struct HypothesisScale {
    double sigma = 0;
    std::int64_t repeats = 0;
    double classChange = kAbsentNumber, controlChange = kAbsentNumber;
    Spread difference;
    double adjusted = kAbsentNumber; // its p-value after Holm's correction
    std::string answer;              // "stronger", "weaker", "alike", "open"
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

    std::vector<UnitPlace> places; // of the embedding, one a unit; empty where none is stored
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

    double baselinePerplexity = kAbsentNumber;
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

// Whether the result has any of the sections.
bool hasAnalysis(const RunResult& run);
// BadInput names the JSON path and what would be right there. Sections that are absent stay empty.
Result<AnalysisData> analysisData(const RunResult& run);

// Of those with a 95 % interval of some width, that interval over its 1.96 standard errors; else not a number.
double smallestError(const std::vector<Spread>& spreads);
// What a change is of, in a response: perplexity, or the AUC of an attack.
enum class ResponseMeasure { Perplexity, Auc };
// The size below which such a change cannot be told from none: half the widest 95 % interval at no noise (of the change
// itself, or of the attack's AUC); where there is none, as for a deterministic perplexity, the smallest standard error
// of a change. Not a number where no interval is known.
double responseResolution(const AnalysisData& data, ResponseMeasure measure, const std::string& attack);

// Labels and counts by the rule, from alignment and sparsity: what-if, the data itself stays as it is.
Result<UnitPartition> partitionOf(const AnalysisData& data, const ClassThresholds& thresholds, PartitionRule rule);

// Tables behind the views; `labels` stand in place of the stored ones where not empty.
Table unitsTable(const AnalysisData& data, const std::vector<UnitGroup>& labels = {});
Table clustersTable(const AnalysisData& data);
Table responsesTable(const AnalysisData& data);
Table effectsTable(const AnalysisData& data);
Table hypothesesTable(const AnalysisData& data); // a row a hypothesis and noise

} // namespace peakscope
