// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of clipped steps: every method against gradients taken one row at a time, and the memory of whole runs.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// Norms and clipped sums of every method, family, loss head, with and without checkpointing, adapters and padding.
std::vector<CheckResult> clippingChecks(const std::string& device);

// Per-sample norms of the folders under CASES (see modelReferenceChecks) by every method in float64.
std::vector<CheckResult> clippingReferenceChecks(const std::string& cases, const std::string& device);

// Components, privacy and Poisson batches of whole runs.
void clippingRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
