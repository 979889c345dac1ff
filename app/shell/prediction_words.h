// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result says of its prediction, in words. GUI thread.
#pragma once

#include "core/results/run_result.h"

#include <QString>

#include <cstdint>

namespace peakscope {

// "predicted peak 1.02 GiB, measured 1.02 GiB, +0.1 %"; without the error where the run did not come to its end.
QString predictionText(const RunResult& result);
// Whether an experiment stands in it that could be run again: it is neither another program's nor a recorded program.
bool holdsExperiment(const RunResult& result);
// "+0.1 %": what was predicted too much.
QString predictionError(std::int64_t predicted, std::int64_t measured);

} // namespace peakscope
