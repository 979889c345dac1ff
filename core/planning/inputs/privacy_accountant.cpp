// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/privacy_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace peakscope {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b)).
double logAdd(double a, double b)
{
    const double high = std::max(a, b), low = std::min(a, b);
    return low == -kUnbounded ? high : high + std::log1p(std::exp(low - high));
}

// log(exp(a) - exp(b)) for a >= b.
double logSubtract(double a, double b)
{
    if (b == -kUnbounded) {
        return a;
    }
    return a > b ? a + std::log1p(-std::exp(b - a)) : -kUnbounded;
}

// log(erfc(x)) without underflow; for large x the continued tail erfc(x) ~ exp(-x^2) / (x sqrt(pi)) (1 - 1/(2x^2) +
// ...).
double logErfc(double x)
{
    if (x < 20) {
        return std::log(std::erfc(x));
    }
    const double z = 1 / (x * x);
    const double series = 1 - z / 2 * (1 - 1.5 * z * (1 - 2.5 * z * (1 - 3.5 * z)));
    return -x * x - std::log(x) - 0.5 * std::log(std::numbers::pi) + std::log(series);
}

// Mironov et al. 2019, section 3.3: log A for an integer order.
double logMomentInteger(double q, double sigma, std::int64_t order)
{
    double sum = -kUnbounded;
    double binomial = 0; // log of order over i
    for (std::int64_t i = 0; i <= order; ++i) {
        const auto k = static_cast<double>(i);
        const double rest = static_cast<double>(order) - k;
        sum = logAdd(sum, binomial + k * std::log(q) + rest * std::log1p(-q) + (k * k - k) / (2 * sigma * sigma));
        binomial += std::log(rest) - std::log(k + 1);
    }
    return sum;
}

// The same section's series for any order: two sums whose terms change sign once i passes the order.
// Infinite where numbers of this size cannot add it up.
double logMomentFractional(double q, double sigma, double order)
{
    constexpr double kSmallest = -30; // terms below exp(-30) end the series, once they fall
    constexpr std::int64_t kMostTerms = 1'000'000;
    double positive = -kUnbounded, negative = -kUnbounded;
    const double z0 = sigma * sigma * std::log(1 / q - 1) + 0.5;
    double logCoefficient = 0; // of |order over i|
    bool minus = false;
    for (std::int64_t i = 0; i < kMostTerms; ++i) {
        const auto k = static_cast<double>(i);
        const double j = order - k;
        const double t0 = logCoefficient + k * std::log(q) + j * std::log1p(-q);
        const double t1 = logCoefficient + j * std::log(q) + k * std::log1p(-q);
        const double e0 = std::log(0.5) + logErfc((k - z0) / (std::numbers::sqrt2 * sigma));
        const double e1 = std::log(0.5) + logErfc((z0 - j) / (std::numbers::sqrt2 * sigma));
        const double s0 = t0 + (k * k - k) / (2 * sigma * sigma) + e0;
        const double s1 = t1 + (j * j - j) / (2 * sigma * sigma) + e1;
        double& sum = minus ? negative : positive;
        sum = logAdd(sum, logAdd(s0, s1));
        if (std::isnan(s0) || std::isnan(s1)) {
            return kUnbounded;
        }
        if (std::max(s0, s1) < kSmallest) {
            return logSubtract(positive, negative);
        }
        const double factor = (order - k) / (k + 1);
        minus = factor < 0 ? !minus : minus;
        logCoefficient += std::log(std::abs(factor));
    }
    return kUnbounded;
}

const std::vector<double>& orders()
{
    static const std::vector<double> all = [] {
        std::vector<double> made;
        for (int tenth = 1; tenth < 100; ++tenth) {
            made.push_back(1 + tenth / 10.0);
        }
        for (int whole = 11; whole < 64; ++whole) {
            made.push_back(whole);
        }
        made.insert(made.end(), {128, 256, 512, 1024});
        return made;
    }();
    return all;
}

} // namespace

double renyiOfStep(double noiseMultiplier, double samplingRate, double order)
{
    if (samplingRate == 0) {
        return 0;
    }
    // Without sampling; sampling gives away no more.
    const double most = order / (2 * noiseMultiplier * noiseMultiplier);
    if (samplingRate == 1 || !std::isfinite(most) || most == 0) {
        return most;
    }
    const bool whole = order == std::floor(order);
    const double logMoment = whole ? logMomentInteger(samplingRate, noiseMultiplier, static_cast<std::int64_t>(order))
                                   : logMomentFractional(samplingRate, noiseMultiplier, order);
    return std::isfinite(logMoment) ? std::min(logMoment / (order - 1), most) : most;
}

std::int64_t expectedRows(const Experiment& experiment)
{
    const std::int64_t wanted = experiment.training.privacy.expectedBatch;
    return wanted > 0 ? wanted : experiment.data.batch;
}

PrivacyRun privacyRun(const Experiment& experiment, std::int64_t rows, std::int64_t steps)
{
    const TrainingOptions& training = experiment.training;
    const bool drawn = training.privacy.poisson;
    const std::int64_t taken = drawn ? expectedRows(experiment) : experiment.data.batch;
    // A row that a batch has twice adds twice the clipping norm.
    const std::int64_t repeats = drawn ? 1 : std::max<std::int64_t>(1, (taken + rows - 1) / rows);
    return {training.noiseMultiplier / static_cast<double>(repeats),
            std::min(static_cast<double>(taken) / static_cast<double>(rows), 1.0), steps, training.privacy.delta};
}

Result<PrivacyCost> privacyCost(const Experiment& experiment, std::int64_t rows, std::int64_t steps)
{
    return privacyCost(privacyRun(experiment, rows, steps));
}

std::string privacyNote(const PrivacyCost& cost)
{
    if (cost.epsilon == 0 || (cost.order != orders().front() && cost.order != orders().back())) {
        return "";
    }
    return fmt::format(
        "epsilon is least at Renyi order {}, the {} that is looked at: it holds, but the least one may be "
        "smaller",
        cost.order, cost.order == orders().front() ? "lowest" : "highest");
}

Result<PrivacyCost> privacyCost(const PrivacyRun& run)
{
    if (!(run.noiseMultiplier > 0) || !std::isfinite(run.noiseMultiplier)) {
        return badInput("noise_multiplier", fmt::format("{} gives no privacy, above 0 does", run.noiseMultiplier));
    }
    if (!(run.samplingRate >= 0 && run.samplingRate <= 1)) {
        return badInput("sampling rate", fmt::format("{} is not from 0 to 1", run.samplingRate));
    }
    if (run.steps < 0) {
        return badInput("steps", fmt::format("{} is below 0", run.steps));
    }
    if (!(run.delta > 0 && run.delta < 1)) {
        return badInput("delta", fmt::format("{} is not between 0 and 1", run.delta));
    }
    PrivacyCost best{kUnbounded, 0};
    for (const double order : orders()) {
        const double divergence =
            static_cast<double>(run.steps) * renyiOfStep(run.noiseMultiplier, run.samplingRate, order);
        const double epsilon =
            divergence - (std::log(run.delta) + std::log(order)) / (order - 1) + std::log((order - 1) / order);
        if (epsilon < best.epsilon) {
            best = {epsilon, order};
        }
    }
    if (!std::isfinite(best.epsilon) && run.steps > 0 && run.samplingRate > 0) {
        return badInput("noise_multiplier", fmt::format("{} is too small for any finite epsilon", run.noiseMultiplier));
    }
    best.epsilon = run.steps == 0 || run.samplingRate == 0 ? 0 : std::max(best.epsilon, 0.0);
    return best;
}

} // namespace peakscope
