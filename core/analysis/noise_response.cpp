// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/noise_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace peakscope {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kStandsOut = 10; // times its error

// The drawings of one sigma and group, in the order of their seeds.
using Drawings = std::vector<const NoiseResponse*>;

struct ResponseCell {
    double sigma;
    UnitClass unitClass;
    bool control;
    Drawings drawings;
};

std::vector<ResponseCell> cellsOf(std::span<const NoiseResponse> responses)
{
    std::vector<ResponseCell> cells;
    for (const NoiseResponse& response : responses) {
        const auto known = std::find_if(cells.begin(), cells.end(), [&](const ResponseCell& cell) {
            return cell.sigma == response.sigma && cell.unitClass == response.unitClass &&
                   cell.control == response.control;
        });
        if (known != cells.end())
            known->drawings.push_back(&response);
        else
            cells.push_back({response.sigma, response.unitClass, response.control, {&response}});
    }
    for (ResponseCell& cell : cells) {
        std::stable_sort(cell.drawings.begin(), cell.drawings.end(),
                         [](const NoiseResponse* a, const NoiseResponse* b) { return a->repeat < b->repeat; });
    }
    return cells;
}

std::vector<std::string> measuresOf(std::span<const NoiseResponse> responses)
{
    std::vector<std::string> measures{std::string(kLogPerplexityMeasure)};
    if (!responses.empty()) {
        for (const AttackResponse& attack : responses.front().attacks)
            measures.push_back(attack.attack);
    }
    return measures;
}

double valueOf(const NoiseResponse& response, std::size_t measure)
{
    return measure == 0 ? response.deltaLogPerplexity : response.attacks[measure - 1].deltaAuc;
}

std::vector<double> valuesOf(const Drawings& drawings, std::size_t measure)
{
    std::vector<double> values;
    for (const NoiseResponse* drawing : drawings)
        values.push_back(valueOf(*drawing, measure));
    return values;
}

// Seeds that agree to the last digit (an AUC is a count of pairs) leave no spread to test against.
double pairedPValue(const MeanInterval& difference)
{
    if (difference.mean == 0 && difference.count > 1)
        return 1;
    if (difference.count < 2 || difference.standardError <= 1e-12 * std::abs(difference.mean))
        return std::numeric_limits<double>::quiet_NaN();
    const double t = std::abs(difference.mean / difference.standardError);
    return 2 * (1 - studentCdf(t, static_cast<double>(difference.count - 1)));
}

ResponseSummary summaryOf(const ResponseCell& cell, std::size_t attack, double confidence)
{
    ResponseSummary summary{cell.sigma, cell.unitClass, cell.control, "", {}, {}, {}, 0, 0};
    std::vector<double> perplexity, logPerplexity, auc;
    double variance = 0;
    for (const NoiseResponse* drawing : cell.drawings) {
        perplexity.push_back(drawing->deltaPerplexity);
        logPerplexity.push_back(drawing->deltaLogPerplexity);
        if (attack < drawing->attacks.size()) {
            summary.attack = drawing->attacks[attack].attack;
            auc.push_back(drawing->attacks[attack].deltaAuc);
            variance += std::pow(drawing->attacks[attack].deltaError, 2);
        }
    }
    summary.deltaPerplexity = meanInterval(perplexity, confidence);
    summary.deltaLogPerplexity = meanInterval(logPerplexity, confidence);
    summary.deltaAuc = meanInterval(auc, confidence);
    if (!auc.empty()) {
        // The same samples judge every drawing, so their error does not shrink with the number of drawings.
        const double error = std::sqrt(variance / static_cast<double>(auc.size()));
        const double reach = normalQuantile(0.5 + confidence / 2) * error;
        summary.aucLow = summary.deltaAuc.mean - reach;
        summary.aucHigh = summary.deltaAuc.mean + reach;
    }
    return summary;
}

void adjustByMeasure(std::vector<ControlComparison>& comparisons, const std::string& measure)
{
    std::vector<double> pValues;
    for (const ControlComparison& comparison : comparisons) {
        if (comparison.measure == measure && std::isfinite(comparison.pValue))
            pValues.push_back(comparison.pValue);
    }
    const std::vector<double> adjusted = holmAdjusted(pValues);
    std::size_t next = 0;
    for (ControlComparison& comparison : comparisons) {
        if (comparison.measure == measure)
            comparison.adjusted = std::isfinite(comparison.pValue) ? adjusted[next++] : comparison.pValue;
    }
}

// What a class is expected to do by the scripts that the question comes from.
enum class Expectation { More, Less, NoMore };

struct ClassHypothesis {
    UnitClass unitClass;
    bool perplexity; // else: every attack
    Expectation expected;
    const char* statement; // %s: the class
};

constexpr std::array kHypotheses = {
    ClassHypothesis{UnitClass::Func, true, Expectation::More,
                    "noise in Wfunc raises perplexity more than noise in a random group"},
    ClassHypothesis{UnitClass::Func, false, Expectation::NoMore,
                    "noise in Wfunc changes the attack's AUC no more than noise in a random group"},
    ClassHypothesis{UnitClass::Sens, true, Expectation::Less,
                    "noise in Wsens raises perplexity less than noise in a random group"},
    ClassHypothesis{UnitClass::Sens, false, Expectation::More,
                    "noise in Wsens changes the attack's AUC more than noise in a random group"},
    ClassHypothesis{UnitClass::Both, true, Expectation::More,
                    "noise in Wboth raises perplexity more than noise in a random group"},
    ClassHypothesis{UnitClass::Both, false, Expectation::More,
                    "noise in Wboth changes the attack's AUC more than noise in a random group"},
};

const ResponseSummary* controlOf(std::span<const ResponseSummary> summaries, const ControlComparison& comparison)
{
    for (const ResponseSummary& summary : summaries) {
        if (summary.control && summary.unitClass == comparison.unitClass && summary.sigma == comparison.sigma &&
            summary.attack == comparison.measure)
            return &summary;
    }
    return nullptr;
}

// Above 0 where the class answers more strongly than its random group. An AUC falls under noise where there is
// something to lose, so what counts there is the change away from zero.
double strength(const ControlComparison& comparison, std::span<const ResponseSummary> summaries)
{
    if (comparison.measure == kLogPerplexityMeasure)
        return comparison.difference.mean;
    const ResponseSummary* control = controlOf(summaries, comparison);
    const double other = control ? control->deltaAuc.mean : 0;
    return std::abs(other + comparison.difference.mean) - std::abs(other);
}

HypothesisFinding judged(const ClassHypothesis& hypothesis, const std::string& measure,
                         std::span<const ControlComparison> comparisons, std::span<const ResponseSummary> summaries)
{
    HypothesisFinding result{hypothesis.unitClass, measure, hypothesis.statement, HypothesisOutcome::NotSupported, ""};
    int more = 0, less = 0, tested = 0;
    const ControlComparison* clearest = nullptr;
    for (const ControlComparison& comparison : comparisons) {
        if (comparison.unitClass != hypothesis.unitClass || comparison.measure != measure ||
            !std::isfinite(comparison.adjusted))
            continue;
        ++tested;
        if (!clearest || comparison.adjusted < clearest->adjusted)
            clearest = &comparison;
        if (comparison.adjusted < kSignificance)
            ++(strength(comparison, summaries) > 0 ? more : less);
    }
    if (!clearest) {
        result.evidence = "not tested: the noise seeds show no spread";
        return result;
    }
    const int wanted = hypothesis.expected == Expectation::More ? more : less;
    const int against = hypothesis.expected == Expectation::More ? less : more;
    if (against > 0)
        result.verdict = HypothesisOutcome::Contradicted;
    else if (wanted > 0)
        result.verdict = HypothesisOutcome::Supported;
    char text[240];
    std::snprintf(text, sizeof text,
                  "%d of %d noise scales significant (%d stronger, %d weaker than the random group); clearest at "
                  "%.3g: difference %+.3g, p = %.2g after Holm's correction",
                  more + less, tested, more, less, clearest->sigma, clearest->difference.mean, clearest->adjusted);
    result.evidence = text;
    return result;
}

} // namespace

std::string_view groupName(const NoiseResponse& response)
{
    return response.control ? "control" : name(response.unitClass);
}

std::vector<ResponseSummary> summarizeResponses(std::span<const NoiseResponse> responses, double confidence)
{
    std::vector<ResponseSummary> summaries;
    for (const ResponseCell& cell : cellsOf(responses)) {
        const std::size_t attacks = std::max<std::size_t>(1, cell.drawings.front()->attacks.size());
        for (std::size_t attack = 0; attack < attacks; ++attack)
            summaries.push_back(summaryOf(cell, attack, confidence));
    }
    return summaries;
}

std::vector<ControlComparison> compareWithControls(std::span<const NoiseResponse> responses, double confidence)
{
    const std::vector<ResponseCell> cells = cellsOf(responses);
    const std::vector<std::string> measures = measuresOf(responses);
    std::vector<ControlComparison> comparisons;
    for (const ResponseCell& cell : cells) {
        const auto other = std::find_if(cells.begin(), cells.end(), [&](const ResponseCell& candidate) {
            return candidate.control && candidate.sigma == cell.sigma && candidate.unitClass == cell.unitClass;
        });
        if (cell.control || cell.sigma == 0 || other == cells.end())
            continue;
        for (std::size_t measure = 0; measure < measures.size(); ++measure) {
            const std::vector<double> own = valuesOf(cell.drawings, measure);
            const std::vector<double> random = valuesOf(other->drawings, measure);
            std::vector<double> differences;
            for (std::size_t i = 0; i < std::min(own.size(), random.size()); ++i)
                differences.push_back(own[i] - random[i]);
            ControlComparison comparison{cell.sigma, cell.unitClass, measures[measure], {}, 1, 1, 0, 0};
            comparison.difference = meanInterval(differences, confidence);
            comparison.pValue = pairedPValue(comparison.difference);
            comparison.hedges = hedgesG(own, random);
            comparison.cliff = cliffsDelta(own, random);
            comparisons.push_back(std::move(comparison));
        }
    }
    for (const std::string& measure : measures)
        adjustByMeasure(comparisons, measure);
    return comparisons;
}

std::vector<ResponseTrend> responseTrends(std::span<const NoiseResponse> responses)
{
    const std::vector<ResponseCell> cells = cellsOf(responses);
    const std::vector<std::string> measures = measuresOf(responses);
    std::vector<ResponseTrend> trends;
    for (const bool control : {false, true}) {
        for (const UnitClass unitClass : kUnitClasses) {
            for (std::size_t measure = 0; measure < measures.size(); ++measure) {
                ResponseTrend trend{unitClass, control, measures[measure], 0, {}, 0};
                std::vector<double> sigmas, values, logSigma, logChange;
                for (const ResponseCell& cell : cells) {
                    if (cell.unitClass != unitClass || cell.control != control)
                        continue;
                    const std::vector<double> own = valuesOf(cell.drawings, measure);
                    sigmas.insert(sigmas.end(), own.size(), cell.sigma);
                    values.insert(values.end(), own.begin(), own.end());
                    const MeanInterval change = meanInterval(own);
                    if (cell.sigma > 0 && change.count > 1 && change.mean != 0 &&
                        std::abs(change.mean) > kStandsOut * change.standardError) {
                        logSigma.push_back(std::log(cell.sigma));
                        logChange.push_back(std::log(std::abs(change.mean)));
                    }
                }
                if (sigmas.empty())
                    continue;
                trend.correlation = spearman(sigmas, values);
                trend.slopePoints = static_cast<int>(logSigma.size());
                if (trend.slopePoints >= 2)
                    trend.slope = fitLine(logSigma, logChange);
                trends.push_back(std::move(trend));
            }
        }
    }
    return trends;
}

std::string_view name(HypothesisOutcome verdict)
{
    constexpr std::array<std::string_view, 3> kNames = {"supported", "not_supported", "contradicted"};
    return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<HypothesisFinding> hypothesisFindings(std::span<const ControlComparison> comparisons,
                                                  std::span<const ResponseSummary> summaries)
{
    std::vector<std::string> measures;
    for (const ControlComparison& comparison : comparisons) {
        if (std::find(measures.begin(), measures.end(), comparison.measure) == measures.end())
            measures.push_back(comparison.measure);
    }
    std::vector<HypothesisFinding> verdicts;
    for (const ClassHypothesis& hypothesis : kHypotheses) {
        for (const std::string& measure : measures) {
            if ((measure == kLogPerplexityMeasure) == hypothesis.perplexity)
                verdicts.push_back(judged(hypothesis, measure, comparisons, summaries));
        }
    }
    return verdicts;
}

} // namespace peakscope
