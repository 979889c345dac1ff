// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that predictions hold for files of tokens, whose rows may be of any lengths and begin again.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// Every family with each way of training, clipping and curvature over rows of tokens, each in a worker process:
// verified, and for float32 and float64 equal to the byte.
void tokenPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
