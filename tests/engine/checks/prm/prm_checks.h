// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the perturbation experiment: noise in the weights and the way back, scores of samples, whole runs with
// kills, refusals and the synthetic mode.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// Without a worker, on "cpu" or "cuda:N".
std::vector<CheckResult> prmChecks(const std::string& device);

// Whole runs in worker processes.
void prmRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
