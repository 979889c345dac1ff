// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Power laws y = offset + factor x^exponent with the exponent's error: does memory or time grow linearly or
// quadratically here? Used by sweeps and comparisons. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope {

struct PowerLawFit {
    double exponent = 0;
    double factor = 0;
    double offset = 0;        // what does not grow with x; 0 where none was asked for
    double standardError = 0; // of the exponent; NaN where no point is left to judge it by
    double low = 0, high = 0; // Student's interval of the exponent; NaN likewise
    std::int64_t points = 0;  // that were used

    bool usable() const { return exponent == exponent; }
    double at(double x) const;
    // Whether the interval holds this exponent ("2: quadratic"); false without an interval.
    bool allows(double value) const { return low <= value && value <= high; }
};

// Least squares of log y on log x. Pairs that are not both finite and above zero are left out; the exponent is NaN for
// fewer than two different x, its error for fewer than three points.
PowerLawFit fitPowerLaw(std::span<const double> x, std::span<const double> y, double confidence = 0.95);

// With an offset that is at least 0 (parameters and optimiser states below what grows with the sequence): least squares
// of the relative residuals (y - f(x)) / y over offset, factor and exponent, the first two solved for exactly at every
// exponent (variable projection, Golub & Pereyra 1973). The error is that of the linearised problem. Falls back on
// fitPowerLaw where fewer than four different x leave three parameters without a check or no offset helps.
PowerLawFit fitOffsetPowerLaw(std::span<const double> x, std::span<const double> y, double confidence = 0.95);
// The same above a floor that is known (of y's unit): it is taken off before anything is fitted and is part of
// `offset`.
PowerLawFit fitAboveFloor(std::span<const double> x, std::span<const double> y, double floor);

// Points of one line: y = factor x^exponent, the factor its own.
struct PowerLawLine {
    std::vector<double> x, y;
};
// One exponent for all lines, each with its own factor (least squares of log y on log x within the lines). Its interval
// is of how far the lines bear it out: two values of x in three settings have one. `factor` is NaN; the exponent is,
// too, where no line has two different x.
PowerLawFit fitCommonExponent(const std::vector<PowerLawLine>& lines, double confidence = 0.95);

} // namespace peakscope
