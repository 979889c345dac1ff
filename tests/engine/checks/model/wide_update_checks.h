// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Updates in float32 of weights and states that are kept in fewer bits: masters, Kahan, stochastic rounding, 8-bit
// states, and updates within backward.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

std::vector<CheckResult> wideUpdateChecks(const std::string& device);

} // namespace peakscope
