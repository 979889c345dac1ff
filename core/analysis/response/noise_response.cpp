// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/noise_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace peakscope {
namespace {

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

// The error of the same samples in every drawing does not shrink with the number of drawings.
double sampleErrorOf(const Drawings& own, const Drawings& random, std::size_t measure)
{
    if (measure == 0 || own.empty() || random.empty())
        return 0;
    double variance = 0;
    const std::size_t pairs = std::min(own.size(), random.size());
    for (std::size_t i = 0; i < pairs; ++i)
        variance += std::pow(own[i]->attacks[measure - 1].deltaError, 2) +
                    std::pow(random[i]->attacks[measure - 1].deltaError, 2);
    return std::isfinite(variance) ? std::sqrt(variance / static_cast<double>(pairs)) : 0;
}

// Student's test of a mean over seeds, with the samples' own error in its interval; two-sided, NaN where none is
// possible. Seeds that agree to the last digit (an AUC is a count of pairs) leave only the samples' error to test
// against.
double judge(MeanInterval& difference, double sampleError, double confidence)
{
    if (difference.count < 2 || !std::isfinite(difference.mean))
        return std::numeric_limits<double>::quiet_NaN();
    const double seeds = std::pow(difference.standardError, 2), samples = std::pow(sampleError, 2);
    const double error = std::sqrt(seeds + samples);
    if (!std::isfinite(error))
        return std::numeric_limits<double>::quiet_NaN();
    if (error <= 1e-12 * std::abs(difference.mean))
        return difference.mean == 0 ? 1 : std::numeric_limits<double>::quiet_NaN();
    // Welch and Satterthwaite; beyond a million degrees Student's distribution is the normal one.
    const double share = seeds / (seeds + samples);
    const double degrees = share > 0 ? std::min(1e6, static_cast<double>(difference.count - 1) / (share * share)) : 1e6;
    const double reach = studentQuantile(0.5 + confidence / 2, degrees) * error;
    const double tail =
        studentCdf(-std::abs(difference.mean) / error, degrees); // 1 less the rest would lose its digits
    difference.standardError = error;
    difference.low = difference.mean - reach;
    difference.high = difference.mean + reach;
    return 2 * tail;
}

// Which way a measure went on the average; up where it did not move, and always for perplexity.
double directionOf(const std::vector<double>& values, std::size_t measure)
{
    return measure > 0 && meanInterval(values).mean < 0 ? -1 : 1;
}

ControlComparison comparisonOf(const ResponseCell& cell, const ResponseCell& other, std::size_t measure,
                               double confidence)
{
    const std::vector<double> own = valuesOf(cell.drawings, measure), random = valuesOf(other.drawings, measure);
    const double ownWay = directionOf(own, measure), randomWay = directionOf(random, measure);
    std::vector<double> differences, strengths;
    for (std::size_t i = 0; i < std::min(own.size(), random.size()); ++i) {
        differences.push_back(own[i] - random[i]);
        strengths.push_back(ownWay * own[i] - randomWay * random[i]);
    }
    ControlComparison comparison;
    comparison.sigma = cell.sigma;
    comparison.unitClass = cell.unitClass;
    comparison.difference = meanInterval(differences, confidence);
    comparison.strength = meanInterval(strengths, confidence);
    comparison.sampleError = sampleErrorOf(cell.drawings, other.drawings, measure);
    comparison.pValue = judge(comparison.difference, comparison.sampleError, confidence);
    comparison.strengthPValue = judge(comparison.strength, comparison.sampleError, confidence);
    comparison.hedges = hedgesG(own, random);
    comparison.cliff = cliffsDelta(own, random);
    return comparison;
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
        std::tie(summary.aucLow, summary.aucHigh) = changeInterval(summary.deltaAuc.mean, reach);
        const double seeds = summary.deltaAuc.high - summary.deltaAuc.mean;
        if (auc.size() > 1)
            std::tie(summary.deltaAuc.low, summary.deltaAuc.high) = changeInterval(summary.deltaAuc.mean, seeds);
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

} // namespace

std::pair<double, double> changeInterval(double change, double reach)
{
    if (std::isnan(change) || std::isnan(reach) || (reach == 0 && change != 0))
        return {std::nan(""), std::nan("")};
    return {std::max(-1.0, change - reach), std::min(1.0, change + reach)};
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
            ControlComparison comparison = comparisonOf(cell, *other, measure, confidence);
            comparison.measure = measures[measure];
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

} // namespace peakscope
