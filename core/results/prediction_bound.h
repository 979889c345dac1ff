// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result's "prediction" is: of what the run takes, or of what it takes at the most. Any thread.
#pragma once

#include "core/results/run_result.h"

namespace peakscope {

// What a result says of its peak beforehand: nothing; what it takes; or what it takes at the most ("bound": true in the
// file): the measured peak may lie far below that, and how far is no error. All that shows or compares it asks here.
enum class PeakClaim { None, Prediction, Bound };
PeakClaim peakClaim(const RunResult& result);

inline bool predictionIsBound(const RunResult& result)
{
    return peakClaim(result) == PeakClaim::Bound;
}

} // namespace peakscope
