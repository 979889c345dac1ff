// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of low-rank adapters against the dense weights that they stand for.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// Loss, gradients, start values and precision of adapters on every family, on "cpu" or "cuda:N".
std::vector<CheckResult> loraChecks(const std::string& device);

// The memory of whole runs with adapters.
void loraRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
