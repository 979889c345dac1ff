// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/estimate_statistics.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace peakscope {
namespace {

// P(|T| <= t) for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
double centralProbability(double t, std::int64_t degrees)
{
    const double theta = std::atan(t / std::sqrt(static_cast<double>(degrees)));
    const double cosine = std::cos(theta);
    const double square = cosine * cosine;
    if (degrees % 2 == 1) {
        double sum = 0, term = cosine;
        for (std::int64_t k = 1; k < degrees; k += 2) {
            sum += term;
            term *= square * static_cast<double>(k + 1) / static_cast<double>(k + 2);
        }
        return 2 / std::numbers::pi * (theta + (degrees > 1 ? std::sin(theta) * sum : 0));
    }
    double sum = 0, term = 1;
    for (std::int64_t k = 0; k < degrees; k += 2) {
        sum += term;
        term *= square * static_cast<double>(k + 1) / static_cast<double>(k + 2);
    }
    return std::sin(theta) * sum;
}

} // namespace

double studentQuantile(std::int64_t degreesOfFreedom)
{
    constexpr double kNormal = 1.959963984540054;
    if (degreesOfFreedom < 1)
        return std::numeric_limits<double>::infinity();
    if (degreesOfFreedom > 1000) // Cornish and Fisher's first term is exact to 1e-6 from here on
        return kNormal + (kNormal * kNormal * kNormal + kNormal) / (4 * static_cast<double>(degreesOfFreedom));
    double low = 1.9, high = 13;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (centralProbability(middle, degreesOfFreedom) < 0.95 ? low : high) = middle;
    }
    return (low + high) / 2;
}

void MeanEstimate::add(double value)
{
    ++m_count;
    const double difference = value - m_mean;
    m_mean += difference / static_cast<double>(m_count);
    m_squares += difference * (value - m_mean);
}

double MeanEstimate::variance() const
{
    return m_count < 2 ? 0 : m_squares / static_cast<double>(m_count - 1);
}

double MeanEstimate::standardError() const
{
    return m_count < 2 ? 0 : std::sqrt(variance() / static_cast<double>(m_count));
}

std::pair<double, double> MeanEstimate::interval() const
{
    if (m_count < 2)
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    const double half = studentQuantile(m_count - 1) * standardError();
    return {m_mean - half, m_mean + half};
}

CurvatureInterval MeanEstimate::asResult() const
{
    const auto [low, high] = interval();
    return {mean(), standardError(), low, high, count()};
}

} // namespace peakscope
