// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/prediction_bound.h"

#include "core/base/json/json_reader.h"

namespace peakscope {

PeakClaim peakClaim(const RunResult& result)
{
    if (!result.prediction || result.prediction->peakBytes <= 0)
        return PeakClaim::None;
    return lenient::flag(lenient::member(result.other, "prediction"), "bound") ? PeakClaim::Bound
                                                                               : PeakClaim::Prediction;
}

} // namespace peakscope
