// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics/roc.h"

#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Status checkScores(std::span<const double> scores, std::span<const int> positive)
{
    if (scores.size() != positive.size())
        return badInput("roc", "needs one label per score: " + std::to_string(scores.size()) + " scores, " +
                                   std::to_string(positive.size()) + " labels");
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (std::isnan(scores[i]))
            return badInput("roc", "score " + std::to_string(i) + " is not a number");
    }
    const auto positives = std::count_if(positive.begin(), positive.end(), [](int label) { return label != 0; });
    if (positives < 1 || static_cast<std::ptrdiff_t>(positive.size()) == positives)
        return badInput("roc", "needs samples of both classes");
    return Done{};
}

// The share of the other class that each sample beats, ties counting one half: DeLong's structural components.
struct Components {
    std::vector<double> positives, negatives;
    double auc = 0;
};

Components componentsOf(std::span<const double> scores, std::span<const int> positive)
{
    std::vector<double> own[2];
    std::vector<std::size_t> where;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        where.push_back(own[positive[i] != 0].size());
        own[positive[i] != 0].push_back(scores[i]);
    }
    const std::vector<double> all = midranks(scores), ranks[2] = {midranks(own[0]), midranks(own[1])};
    const double counts[2] = {static_cast<double>(own[0].size()), static_cast<double>(own[1].size())};
    Components out;
    out.positives.resize(own[1].size());
    out.negatives.resize(own[0].size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::size_t at = where[i];
        if (positive[i] != 0)
            out.positives[at] = (all[i] - ranks[1][at]) / counts[0];
        else
            out.negatives[at] = 1 - (all[i] - ranks[0][at]) / counts[1];
    }
    out.auc = mean(out.positives);
    return out;
}

// Of fewer than two samples: NaN.
double covariance(std::span<const double> x, std::span<const double> y)
{
    if (x.size() < 2)
        return kUnknown;
    const double meanX = mean(x), meanY = mean(y);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += (x[i] - meanX) * (y[i] - meanY);
    return sum / (static_cast<double>(x.size()) - 1);
}

double sharedVariance(const Components& a, const Components& b)
{
    return covariance(a.positives, b.positives) / static_cast<double>(a.positives.size()) +
           covariance(a.negatives, b.negatives) / static_cast<double>(a.negatives.size());
}

// Equal rankings leave rounding where the variance is 0.
double errorOf(double variance)
{
    return variance <= 1e-18 ? 0 : std::sqrt(variance);
}

} // namespace

Result<AucEstimate> aucDeLong(std::span<const double> scores, std::span<const int> positive, double confidence)
{
    if (const Status status = checkScores(scores, positive); !status)
        return status.error();
    const Components components = componentsOf(scores, positive);
    AucEstimate out;
    out.auc = components.auc;
    out.standardError = errorOf(sharedVariance(components, components));
    const double reach = normalQuantile(0.5 + confidence / 2) * out.standardError;
    out.low = reach > 0 ? std::max(0.0, out.auc - reach) : kUnknown;
    out.high = reach > 0 ? std::min(1.0, out.auc + reach) : kUnknown;
    out.positives = static_cast<std::int64_t>(components.positives.size());
    out.negatives = static_cast<std::int64_t>(components.negatives.size());
    return out;
}

Result<AucDifference> aucDifference(std::span<const double> a, std::span<const double> b, std::span<const int> positive,
                                    double confidence)
{
    for (const auto& scores : {a, b}) {
        if (const Status status = checkScores(scores, positive); !status)
            return status.error();
    }
    const Components one = componentsOf(a, positive), two = componentsOf(b, positive);
    AucDifference out;
    out.difference = one.auc - two.auc;
    const double variance = sharedVariance(one, one) + sharedVariance(two, two) - 2 * sharedVariance(one, two);
    out.standardError = errorOf(variance);
    const double reach = normalQuantile(0.5 + confidence / 2) * out.standardError;
    if (reach > 0) {
        out.low = std::max(-1.0, out.difference - reach);
        out.high = std::min(1.0, out.difference + reach);
        out.z = out.difference / out.standardError;
        out.pValue = 2 * normalCdf(-std::abs(out.z));
    } else if (!(std::abs(out.difference) <= 1e-12) || std::isnan(reach)) {
        out.low = out.high = out.z = out.pValue = kUnknown; // nothing to test it against
    }
    return out;
}

Result<std::vector<RocPoint>> rocCurve(std::span<const double> scores, std::span<const int> positive)
{
    if (const Status status = checkScores(scores, positive); !status)
        return status.error();
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
    const auto positives =
        static_cast<double>(std::count_if(positive.begin(), positive.end(), [](int label) { return label != 0; }));
    const double negatives = static_cast<double>(scores.size()) - positives;
    std::vector<RocPoint> out = {{0, 0, std::numeric_limits<double>::infinity()}};
    double above[2] = {};
    for (std::size_t i = 0; i < order.size(); ++i) {
        above[positive[order[i]] != 0] += 1;
        if (i + 1 == order.size() || scores[order[i + 1]] != scores[order[i]])
            out.push_back({above[0] / negatives, above[1] / positives, scores[order[i]]});
    }
    return out;
}

Result<std::optional<double>> truePositiveRateAt(std::span<const double> scores, std::span<const int> positive,
                                                 double falsePositiveRate)
{
    constexpr double kLeastNegatives = 10, kRounding = 1e-9;
    const auto curve = rocCurve(scores, positive);
    if (!curve)
        return curve.error();
    const auto negatives = static_cast<double>(std::count(positive.begin(), positive.end(), 0));
    if (negatives * falsePositiveRate < kLeastNegatives - kRounding)
        return std::optional<double>();
    double best = 0;
    for (const RocPoint& point : *curve) {
        if (point.falsePositiveRate <= falsePositiveRate + kRounding / negatives)
            best = std::max(best, point.truePositiveRate);
    }
    return std::optional<double>(best);
}

} // namespace peakscope
