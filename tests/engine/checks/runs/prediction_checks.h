// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that a run's prediction agrees with what the run then measures.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// Every family under a type, checkpointing, autocast, attention, loss head and adapters in turn, each in a worker
// process: the predicted peak and its components against the ledger's.
void predictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

// Clipped steps on the CPU, every method: predictions are verified, and the ledger agrees within 1 % of the peak and 5
// % of each component.
void clippingPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
