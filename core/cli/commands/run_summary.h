// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` prints of a finished result. No LibTorch.
#pragma once

#include "core/results/run_result.h"

#include <string>

namespace peakscope {

// On standard output. `attempts`: an array of what was tried of an experiment that says "fit", each with a "sentence";
// `out`: where the result was written.
void printRunSummary(const RunResult& result, const nlohmann::json& attempts, const std::string& out);

} // namespace peakscope
