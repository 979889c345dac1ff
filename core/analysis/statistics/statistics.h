// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Means with intervals, effect sizes, rank correlation and corrections for many comparisons, as the experiments report
// them. What is not a number has no rank and makes no pair; of a mean, a spread or an effect size it leaves NaN, for
// what is left over would be a choice of the mildest. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope {

double mean(std::span<const double> values);              // NaN for none
double standardDeviation(std::span<const double> values); // of a sample (n - 1); NaN for fewer than two

// Ranks from 1, equal values sharing the mean of theirs; NaN of NaN.
std::vector<double> midranks(std::span<const double> values);

double normalCdf(double z);
double normalQuantile(double probability); // probability in (0, 1)
double studentCdf(double t, double degreesOfFreedom);
double studentQuantile(double probability, double degreesOfFreedom); // probability in (0, 1), degrees above 0

struct MeanInterval {
    double mean = 0;
    double standardError = 0;
    double low = 0, high = 0; // Student's; infinitely wide for one value, NaN for none
    std::int64_t count = 0;
};
MeanInterval meanInterval(std::span<const double> values, double confidence = 0.95);

// Spearman's rank correlation of the pairs without NaN; NaN where either side is constant or there are fewer than two.
double spearman(std::span<const double> x, std::span<const double> y);

// Cliff's delta: P(a > b) - P(a < b) over all pairs.
double cliffsDelta(std::span<const double> a, std::span<const double> b);

// Difference of the means in pooled standard deviations, with Hedges' correction for small samples; NaN where these
// are zero up to rounding.
double hedgesG(std::span<const double> a, std::span<const double> b);

// p-values after Holm's step-down correction, in the order given; NaN is no test.
std::vector<double> holmAdjusted(std::span<const double> pValues);

// Least squares y = intercept + slope x, with the slope's standard error and interval (NaN for fewer than three
// points).
struct LineFit {
    double slope = 0, intercept = 0;
    double slopeError = 0;
    double low = 0, high = 0;
};
LineFit fitLine(std::span<const double> x, std::span<const double> y, double confidence = 0.95);

} // namespace peakscope
