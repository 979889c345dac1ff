// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Means of independent draws with their uncertainty. Plain numbers; any thread.
#pragma once

#include "core/results/curvature_section.h"

#include <cstdint>
#include <utility>

namespace peakscope {

// Running mean and variance (Welford 1962). Adding the same numbers in the same order gives the same bits.
class MeanEstimate
{
public:
    void add(double value);
    std::int64_t count() const { return m_count; }
    double mean() const { return m_mean; }
    double variance() const; // of one draw; 0 for fewer than two
    double standardError() const;
    // 95 %: mean ± t · standard error, t of Student's distribution with count - 1 degrees of freedom.
    std::pair<double, double> interval() const;
    CurvatureInterval asResult() const; // one draw has no interval: its ends are infinite

private:
    std::int64_t m_count = 0;
    double m_mean = 0;
    double m_squares = 0;
};

// The 97.5 % quantile of Student's t distribution.
double studentQuantile(std::int64_t degreesOfFreedom);

} // namespace peakscope
