// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run on several ranks was predicted to take and to move, against the run: every rank's peak and components, and
// the counts and bytes of its collectives.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>

namespace peakscope {

// Every family and stage on 2 or 4 ranks of this machine, each in a process of its own. Where MPI isn't there, one
// passed result says so.
void rankPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
