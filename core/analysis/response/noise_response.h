// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What noise in a class of parameters did to perplexity and attacks, and the statistics of it: means over noise seeds,
// comparisons with random groups, trends. Used by the experiment, the synthetic mode and the window. Any thread.
#pragma once

#include "core/analysis/response/partition.h"
#include "core/analysis/statistics/statistics.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

struct AttackResponse {
    std::string attack;
    double auc = 0.5;
    double aucLow = 0, aucHigh = 1; // DeLong's interval
    double deltaAuc = 0;            // from the weights without noise, on the same samples
    double deltaError = 0;          // DeLong's standard error of that, paired
};

// One drawing of noise in one group of units.
struct NoiseResponse {
    double sigma = 0;
    UnitClass unitClass = UnitClass::Both;
    bool control = false; // in the random group that stands against `unitClass`
    int repeat = 0;
    double perplexity = 0;
    double deltaPerplexity = 0;
    double deltaLogPerplexity = 0;
    std::vector<AttackResponse> attacks;
};

struct ResponseSummary {
    double sigma = 0;
    UnitClass unitClass = UnitClass::Both;
    bool control = false;
    std::string attack;
    MeanInterval deltaPerplexity, deltaLogPerplexity, deltaAuc; // Student's, over noise seeds
    double aucLow = 0, aucHigh = 0; // of deltaAuc's mean over drawings of samples: DeLong's paired error, averaged
};

// Of a change of an AUC: within -1 to 1; NaN where what differs shows no spread to tell it by.
std::pair<double, double> changeInterval(double change, double reach);

// Of every sigma, group and attack, in the order of first appearance.
std::vector<ResponseSummary> summarizeResponses(std::span<const NoiseResponse> responses, double confidence = 0.95);

// The measure of perplexity in comparisons and trends; others are attacks' names.
inline constexpr std::string_view kLogPerplexityMeasure = "log_perplexity";

// A class less its random group, seed by seed (the same noise was drawn for both). Degrees of freedom of the two errors
// together are Welch's and Satterthwaite's, those of the samples' error being infinite.
struct ControlComparison {
    double sigma = 0;
    UnitClass unitClass = UnitClass::Both;
    std::string measure;
    // Mean over the seeds. Error and interval hold that of the seeds and, for an attack, that of the finite samples.
    MeanInterval difference;
    double sampleError = 0; // of an attack's difference: DeLong's paired errors of both groups, as if independent
    double pValue = 1;      // two-sided, of Student's t; NaN for one seed, or where nothing shows a spread
    double adjusted = 1;    // after Holm's correction over all classes and sigmas of the measure
    // How much further the class went than its random group: for perplexity the difference; for an attack, whose AUC
    // may rise or fall, |change| less |change|, each along the way that it went on the average.
    MeanInterval strength;
    double strengthPValue = 1; // as pValue
    double hedges = 0;
    double cliff = 0;
};
std::vector<ControlComparison> compareWithControls(std::span<const NoiseResponse> responses, double confidence = 0.95);

// How a group's answer goes with sigma.
struct ResponseTrend {
    UnitClass unitClass = UnitClass::Both;
    bool control = false;
    std::string measure;
    double correlation = 0;       // Spearman's, of sigma and the change, over all drawings
    std::optional<LineFit> slope; // of log |mean change| by log sigma, where the mean stands out of its error tenfold
    int slopePoints = 0;
};
std::vector<ResponseTrend> responseTrends(std::span<const NoiseResponse> responses);

} // namespace peakscope
