// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the largest value: a smaller spread is no spread. What is compared are changes, small differences of numbers from
// float32 arithmetic, so that equal ones differ by far more than the last digit of a double.
constexpr double kNoSpread = 1e-9;

// The continued fraction of the incomplete beta function (Lentz's method; Numerical Recipes, section 6.4).
double betaFraction(double a, double b, double x)
{
    constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double value = d;
    for (int m = 1; m <= 1000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (std::abs(d) < kTiny ? kTiny : d);
        c = std::abs(c) < kTiny ? kTiny : c;
        value *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (std::abs(d) < kTiny ? kTiny : d);
        c = std::abs(c) < kTiny ? kTiny : c;
        value *= d * c;
        if (std::abs(d * c - 1) < 1e-15)
            break;
    }
    return value;
}

// I_x(a, b), with 1 - x given beside x so that neither is rounded away.
double incompleteBeta(double a, double b, double x, double rest)
{
    if (x <= 0)
        return 0;
    if (rest <= 0)
        return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest));
    return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a : 1 - front * betaFraction(b, a, rest) / b;
}

} // namespace

double mean(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standardDeviation(std::span<const double> values)
{
    if (values.size() < 2)
        return kNaN;
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - centre) * (value - centre);
    return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
}

std::vector<double> midranks(std::span<const double> values)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isnan(values[i]))
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> out(values.size(), kNaN);
    for (std::size_t i = 0, j = 0; i < order.size(); i = j) {
        while (j < order.size() && values[order[j]] == values[order[i]])
            ++j;
        for (std::size_t k = i; k < j; ++k)
            out[order[k]] = (static_cast<double>(i + j) + 1) / 2;
    }
    return out;
}

double normalCdf(double z)
{
    return std::erfc(-z / std::sqrt(2.0)) / 2;
}

// Acklam's rational approximation, sharpened by one step of Halley's method to the last digits.
double normalQuantile(double p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -kInfinity : p == 1 ? kInfinity : kNaN;
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                            1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                            6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                            -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const auto tail = [&](double q) {
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    };
    constexpr double kTail = 0.02425;
    double x = 0;
    if (p < kTail) {
        x = tail(std::sqrt(-2 * std::log(p)));
    } else if (p > 1 - kTail) {
        x = -tail(std::sqrt(-2 * std::log1p(-p)));
    } else {
        const double q = p - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    // From the nearer tail, whose probability is known to all its digits.
    const double error = x < 0 ? normalCdf(x) - p : (1 - p) - normalCdf(-x);
    const double step = error * std::sqrt(2 * 3.141592653589793) * std::exp(x * x / 2);
    return x - step / (1 + x * step / 2);
}

double studentCdf(double t, double degreesOfFreedom)
{
    const double n = degreesOfFreedom, x = n / (n + t * t), rest = t * t / (n + t * t);
    const double beyond = incompleteBeta(n / 2, 0.5, x, rest) / 2;
    return t > 0 ? 1 - beyond : beyond;
}

double studentQuantile(double probability, double degreesOfFreedom)
{
    if (!(probability > 0 && probability < 1) || !(degreesOfFreedom > 0))
        return probability == 0 ? -kInfinity : probability == 1 ? kInfinity : kNaN;
    if (probability == 0.5)
        return 0;
    if (probability > 0.5)
        return -studentQuantile(1 - probability, degreesOfFreedom);
    double low = -1, high = 0;
    while (studentCdf(low, degreesOfFreedom) > probability && low > -1e300) {
        high = low;
        low *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-15 * std::abs(low); ++i) {
        const double middle = (low + high) / 2;
        (studentCdf(middle, degreesOfFreedom) > probability ? high : low) = middle;
    }
    return (low + high) / 2;
}

MeanInterval meanInterval(std::span<const double> values, double confidence)
{
    MeanInterval out;
    out.count = static_cast<std::int64_t>(values.size());
    out.mean = mean(values);
    if (values.size() < 2) {
        out.standardError = values.empty() ? kNaN : kInfinity;
        out.low = values.empty() ? kNaN : -kInfinity;
        out.high = values.empty() ? kNaN : kInfinity;
        return out;
    }
    const auto count = static_cast<double>(values.size());
    out.standardError = standardDeviation(values) / std::sqrt(count);
    const double reach = studentQuantile(0.5 + confidence / 2, count - 1) * out.standardError;
    out.low = out.mean - reach;
    out.high = out.mean + reach;
    return out;
}

double spearman(std::span<const double> x, std::span<const double> y)
{
    if (x.size() != y.size())
        return kNaN;
    std::vector<double> knownX, knownY;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isnan(x[i]) && !std::isnan(y[i])) {
            knownX.push_back(x[i]);
            knownY.push_back(y[i]);
        }
    }
    const std::vector<double> ranksX = midranks(knownX), ranksY = midranks(knownY);
    const double centre = (static_cast<double>(knownX.size()) + 1) / 2;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < knownX.size(); ++i) {
        xx += (ranksX[i] - centre) * (ranksX[i] - centre);
        yy += (ranksY[i] - centre) * (ranksY[i] - centre);
        xy += (ranksX[i] - centre) * (ranksY[i] - centre);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNaN;
}

double cliffsDelta(std::span<const double> a, std::span<const double> b)
{
    const auto isNaN = [](double value) { return std::isnan(value); };
    if (a.empty() || b.empty() || std::ranges::any_of(a, isNaN) || std::ranges::any_of(b, isNaN))
        return kNaN;
    std::vector<double> sorted(b.begin(), b.end());
    std::sort(sorted.begin(), sorted.end());
    double balance = 0;
    for (const double value : a) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        balance += static_cast<double>(first - sorted.begin()) - static_cast<double>(sorted.end() - last);
    }
    return balance / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

double hedgesG(std::span<const double> a, std::span<const double> b)
{
    if (a.size() < 2 || b.size() < 2)
        return kNaN;
    const double freeA = static_cast<double>(a.size()) - 1, freeB = static_cast<double>(b.size()) - 1;
    const double varianceA = std::pow(standardDeviation(a), 2), varianceB = std::pow(standardDeviation(b), 2);
    const double pooled = std::sqrt((freeA * varianceA + freeB * varianceB) / (freeA + freeB));
    const double difference = mean(a) - mean(b);
    double largest = 0;
    for (const std::span<const double> values : {a, b}) {
        for (const double value : values)
            largest = std::max(largest, std::abs(value));
    }
    if (!(pooled > kNoSpread * largest) || std::isinf(pooled))
        return kNaN;
    return (1 - 3 / (4 * (freeA + freeB) - 1)) * difference / pooled;
}

std::vector<double> holmAdjusted(std::span<const double> pValues)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < pValues.size(); ++i) {
        if (!std::isnan(pValues[i]))
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return pValues[i] < pValues[j]; });
    std::vector<double> out(pValues.size(), kNaN);
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * pValues[order[i]]));
        out[order[i]] = largest;
    }
    return out;
}

LineFit fitLine(std::span<const double> x, std::span<const double> y, double confidence)
{
    LineFit out{kNaN, kNaN, kNaN, kNaN, kNaN};
    if (x.size() != y.size() || x.size() < 2)
        return out;
    const double meanX = mean(x), meanY = mean(y);
    double xx = 0, xy = 0, rest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - meanX) * (x[i] - meanX);
        xy += (x[i] - meanX) * (y[i] - meanY);
    }
    if (!(xx > 0))
        return out;
    out.slope = xy / xx;
    out.intercept = meanY - out.slope * meanX;
    if (x.size() < 3)
        return out;
    for (std::size_t i = 0; i < x.size(); ++i)
        rest += std::pow(y[i] - out.intercept - out.slope * x[i], 2);
    const double freedom = static_cast<double>(x.size()) - 2;
    out.slopeError = std::sqrt(rest / freedom / xx);
    const double reach = studentQuantile(0.5 + confidence / 2, freedom) * out.slopeError;
    out.low = out.slope - reach;
    out.high = out.slope + reach;
    return out;
}

} // namespace peakscope
