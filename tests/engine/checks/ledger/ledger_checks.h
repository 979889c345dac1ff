// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the memory ledger's rules on hand-made events, and of its invariants on real training runs.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// The rules by which bytes get their component; closed forms, no tensor.
std::vector<CheckResult> ledgerRuleChecks();

// Every family × checkpointing × optimiser trains in a worker process; components, timeline, parameters, gradients and
// optimiser states must obey their closed forms exactly.
void ledgerRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

// A budget of half the need, a cancelled run, a worker that dies: status, sentence and what is left in the result.
void runEndChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
