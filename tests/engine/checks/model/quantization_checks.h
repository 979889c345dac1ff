// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Weights in 4 and 8 bits, against bitsandbytes and against the same model over their numbers.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

std::vector<CheckResult> quantizationChecks(const std::string& device);

} // namespace peakscope
