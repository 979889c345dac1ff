// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The made-up answers of the synthetic mode: parameter units with features, and how perplexity and attack respond to
// noise, drawn from a random generator as the first scripts did. For looking before computing: whoever shows or stores
// these says "synthetic" with them. Any thread.
#pragma once

#include "core/analysis/response/partition.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace peakscope {

inline constexpr double kSyntheticBaselinePerplexity = 10.31;
inline constexpr double kSyntheticBaselineAuc = 0.5;

struct SyntheticUnits {
    std::vector<std::string> names;        // "synthetic.0", …
    std::vector<std::string> featureNames; // as many as there are columns
    std::vector<double> features;          // units x columns, row by row
    std::vector<double> alignment, sparsity;
    std::vector<UnitClass> intended; // the class that a unit's numbers were drawn for
};

// Units of the three classes in the shares of the scripts' example (a quarter Wfunc, 15 % Wsens, the rest Wboth; from
// three units on at least one of each), whose alignment and sparsity lie where the default thresholds expect them.
SyntheticUnits syntheticUnits(int units, std::uint64_t seed);

struct SyntheticPoint {
    double sigma = 0;
    UnitClass unitClass = UnitClass::Both;
    int repeat = 0;
    double perplexity = 0, deltaPerplexity = 0;
    double auc = 0, deltaAuc = 0;
};

// For every sigma, class and repeat. In the scripts' files both answers grow in proportion to sigma: perplexity by
// about 20, 1 and 10 per unit of noise in Wfunc, Wsens and Wboth, AUC by 0.4, 7.6 and 5; here an AUC levels off at its
// largest possible change of one half. BadInput for a sigma that is negative or no number, or no repeats.
Result<std::vector<SyntheticPoint>> syntheticResponses(std::span<const double> sigmas, int repeats, std::uint64_t seed);

} // namespace peakscope
