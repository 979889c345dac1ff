// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics/power_law.h"

#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace peakscope {

namespace {

constexpr double kNotFitted = std::numeric_limits<double>::quiet_NaN();
// Exponents looked at before the best is refined; beyond them a fit says nothing about growth.
constexpr double kLowestExponent = 0.02;
constexpr double kHighestExponent = 6;
constexpr int kScanSteps = 300;

struct Points {
    std::vector<double> x, y;
};

Points usablePoints(std::span<const double> x, std::span<const double> y)
{
    Points points;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (std::isfinite(x[i]) && std::isfinite(y[i]) && x[i] > 0 && y[i] > 0) {
            points.x.push_back(x[i]);
            points.y.push_back(y[i]);
        }
    }
    return points;
}

// At one exponent: the offset and the factor that leave the least, with what is left.
struct ProfilePoint {
    double offset = 0, factor = 0;
    double rest = std::numeric_limits<double>::infinity();
};

// With relative residuals the columns of the linear problem are 1 / y and x^k / y, the right side is 1.
ProfilePoint profileAt(const Points& points, double exponent)
{
    double uu = 0, uv = 0, vv = 0, u = 0, v = 0;
    const std::size_t count = points.x.size();
    for (std::size_t i = 0; i < count; ++i) {
        const double a = 1 / points.y[i], b = std::pow(points.x[i], exponent) / points.y[i];
        uu += a * a;
        uv += a * b;
        vv += b * b;
        u += a;
        v += b;
    }
    ProfilePoint at;
    const double determinant = uu * vv - uv * uv;
    if (determinant > 1e-13 * uu * vv) {
        at.offset = (u * vv - v * uv) / determinant;
        at.factor = (v * uu - u * uv) / determinant;
    }
    if (!(at.offset >= 0) || !(at.factor > 0)) {
        at.offset = 0;
        at.factor = v / vv;
    }
    at.rest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double r = 1 - (at.offset + at.factor * std::pow(points.x[i], exponent)) / points.y[i];
        at.rest += r * r;
    }
    return at;
}

double bestExponent(const Points& points)
{
    const double step = (kHighestExponent - kLowestExponent) / kScanSteps;
    double best = kLowestExponent, least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kScanSteps; ++i) {
        const double exponent = kLowestExponent + i * step;
        const double rest = profileAt(points, exponent).rest;
        if (rest < least) {
            least = rest;
            best = exponent;
        }
    }
    // Golden section within the neighbouring steps.
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double low = best - step, high = best + step;
    for (int i = 0; i < 80; ++i) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (profileAt(points, left).rest <= profileAt(points, right).rest)
            high = right;
        else
            low = left;
    }
    return (low + high) / 2;
}

// The exponent's variance for unit residuals: the last diagonal element of (J^T J)^-1, J's columns being the relative
// derivatives by offset, factor and exponent (the offset's left out where it is held at 0).
double exponentVariance(const Points& points, const PowerLawFit& fit)
{
    const std::size_t first = fit.offset > 0 ? 0 : 1;
    std::array<std::array<double, 3>, 3> normal{};
    for (std::size_t i = 0; i < points.x.size(); ++i) {
        const double power = std::pow(points.x[i], fit.exponent);
        const std::array<double, 3> row{1 / points.y[i], power / points.y[i],
                                        fit.factor * power * std::log(points.x[i]) / points.y[i]};
        for (std::size_t a = first; a < 3; ++a) {
            for (std::size_t b = first; b < 3; ++b)
                normal[a][b] += row[a] * row[b];
        }
    }
    // Elimination leaves the Schur complement of the last element, whose inverse is the variance.
    for (std::size_t pivot = first; pivot < 2; ++pivot) {
        for (std::size_t a = pivot + 1; a < 3; ++a) {
            const double share = normal[a][pivot] / normal[pivot][pivot];
            for (std::size_t b = pivot; b < 3; ++b)
                normal[a][b] -= share * normal[pivot][b];
        }
    }
    return normal[2][2] > 0 ? 1 / normal[2][2] : kNotFitted;
}

} // namespace

double PowerLawFit::at(double x) const
{
    return offset + factor * std::pow(x, exponent);
}

PowerLawFit fitPowerLaw(std::span<const double> x, std::span<const double> y, double confidence)
{
    Points points = usablePoints(x, y);
    for (std::vector<double>* values : {&points.x, &points.y}) {
        for (double& value : *values)
            value = std::log(value);
    }
    const LineFit line = fitLine(points.x, points.y, confidence);
    return {line.slope,
            std::exp(line.intercept),
            0,
            line.slopeError,
            line.low,
            line.high,
            static_cast<std::int64_t>(points.x.size())};
}

PowerLawFit fitOffsetPowerLaw(std::span<const double> x, std::span<const double> y, double confidence)
{
    const PowerLawFit plain = fitPowerLaw(x, y, confidence);
    Points points = usablePoints(x, y);
    const auto [least, most] = std::minmax_element(points.y.begin(), points.y.end());
    if (std::set<double>(points.x.begin(), points.x.end()).size() < 4 || *least == *most)
        return plain;
    // About 1 for numbers whose powers neither overflow nor drown each other.
    const double scale = *std::max_element(points.x.begin(), points.x.end());
    for (double& value : points.x)
        value /= scale;
    PowerLawFit fit;
    fit.points = plain.points;
    fit.exponent = bestExponent(points);
    const ProfilePoint best = profileAt(points, fit.exponent);
    if (!(best.offset > 0))
        return plain;
    fit.offset = best.offset;
    fit.factor = best.factor;
    const double freedom = static_cast<double>(points.x.size()) - 3;
    fit.standardError = std::sqrt(best.rest / freedom * exponentVariance(points, fit));
    const double reach = studentQuantile(0.5 + confidence / 2, freedom) * fit.standardError;
    fit.low = fit.exponent - reach;
    fit.high = fit.exponent + reach;
    fit.factor *= std::pow(scale, -fit.exponent);
    return fit;
}

PowerLawFit fitAboveFloor(std::span<const double> x, std::span<const double> y, double floor)
{
    std::vector<double> above(y.begin(), y.end());
    for (double& value : above)
        value -= floor;
    PowerLawFit fit = fitOffsetPowerLaw(x, above);
    fit.offset += floor;
    return fit;
}

PowerLawFit fitCommonExponent(const std::vector<PowerLawLine>& lines, double confidence)
{
    double xx = 0, xy = 0, yy = 0;
    std::int64_t count = 0, intercepts = 0;
    for (const PowerLawLine& line : lines) {
        Points points = usablePoints(line.x, line.y);
        if (std::set<double>(points.x.begin(), points.x.end()).size() < 2)
            continue;
        const auto n = static_cast<double>(points.x.size());
        double meanX = 0, meanY = 0;
        for (std::size_t i = 0; i < points.x.size(); ++i) {
            meanX += std::log(points.x[i]) / n;
            meanY += std::log(points.y[i]) / n;
        }
        for (std::size_t i = 0; i < points.x.size(); ++i) {
            const double dx = std::log(points.x[i]) - meanX, dy = std::log(points.y[i]) - meanY;
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
        }
        count += static_cast<std::int64_t>(points.x.size());
        ++intercepts;
    }
    PowerLawFit fit{kNotFitted, kNotFitted, 0, kNotFitted, kNotFitted, kNotFitted, count};
    if (count == 0)
        return fit;
    fit.exponent = xy / xx;
    const auto freedom = static_cast<double>(count - intercepts - 1);
    if (freedom < 1)
        return fit;
    fit.standardError = std::sqrt(std::max(0.0, yy - fit.exponent * xy) / freedom / xx);
    const double reach = studentQuantile(0.5 + confidence / 2, freedom) * fit.standardError;
    fit.low = fit.exponent - reach;
    fit.high = fit.exponent + reach;
    return fit;
}

} // namespace peakscope
