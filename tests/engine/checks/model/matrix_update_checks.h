// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of optimisers that update matrices otherwise than the rest: the numbers of torch.optim, stored.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

// On "cpu" or "cuda:N".
std::vector<CheckResult> matrixUpdateChecks(const std::string& device);

} // namespace peakscope
