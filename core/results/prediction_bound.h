// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result's "prediction" is: of what the run takes, or of what it takes at the most. Any thread.
#pragma once

#include "core/results/run_result.h"

namespace peakscope {

// peak_bytes is a bound ("bound": true in the file): the measured peak may lie far below it, and how far is no error.
bool predictionIsBound(const RunResult& result);

} // namespace peakscope
