// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How well a score separates members from non-members: ROC curve, AUC with DeLong's interval, paired comparison of two
// scores. Used by the membership-inference experiments and their figures. Any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace peakscope {

struct AucEstimate {
    double auc = 0.5;
    double standardError = 0; // DeLong's; 0 where no sample differs from its class, NaN for one sample of a class
    double low = 0, high = 1; // normal interval within 0 to 1; NaN where the error is 0 or NaN
    std::int64_t positives = 0, negatives = 0;
};

// The probability that a positive scores higher than a negative, ties counting one half, and its interval (DeLong,
// DeLong, Clarke-Pearson, Biometrics 44, 1988; by midranks as in Sun, Xu, IEEE Signal Proc. Letters 21, 2014).
// BadInput where a class has no sample, sizes differ, or a score is not a number.
Result<AucEstimate> aucDeLong(std::span<const double> scores, std::span<const int> positive, double confidence = 0.95);

struct AucDifference {
    double difference = 0;    // AUC of `a` less AUC of `b`
    double standardError = 0; // as an estimate's
    double low = 0, high = 0; // within -1 to 1; NaN where a difference has no error to test it against, as z and pValue
    double z = 0;
    double pValue = 1; // two-sided, of no difference
};

// Two scores of the same samples, their covariance taken into account.
Result<AucDifference> aucDifference(std::span<const double> a, std::span<const double> b, std::span<const int> positive,
                                    double confidence = 0.95);

struct RocPoint {
    double falsePositiveRate = 0, truePositiveRate = 0;
    double threshold = 0; // scores at or above it count as positive; infinity at the first point
};

// From (0, 0) to (1, 1), one point per distinct score.
Result<std::vector<RocPoint>> rocCurve(std::span<const double> scores, std::span<const int> positive);

// The largest true positive rate at which no more than `falsePositiveRate` of the negatives pass. Nothing where that
// rate rests on fewer than ten negatives.
Result<std::optional<double>> truePositiveRateAt(std::span<const double> scores, std::span<const int> positive,
                                                 double falsePositiveRate);

} // namespace peakscope
