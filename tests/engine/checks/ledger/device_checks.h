// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the CUDA ledger: which block of a caching allocator stands behind an address, on hand-made events; and,
// where a CUDA device is, whole runs against the allocator's own statistics.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// Closed forms, no device. Part of the ledger's rules.
std::vector<CheckResult> deviceBlockChecks();

// Runs on "cuda:N": plain, autocast, clipped, with expandable segments and without: the ledger's sums are the
// allocator's at every phase mark, the peaks agree, a budget is kept and what passes it is named.
void deviceLedgerChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
