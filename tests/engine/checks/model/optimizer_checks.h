// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of every optimiser's numbers: PyTorch's own where it has the optimiser, stored references, closed forms.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

// On "cpu" or "cuda:N".
std::vector<CheckResult> optimizerChecks(const std::string& device);

} // namespace peakscope
