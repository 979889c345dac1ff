// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every check of the engine, for `peakscope-cli selftest` and for ctest.
#pragma once

#include "core/base/result.h"
#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// Runs the checks whose name contains `only` (all when empty) on the device and hands each result over as it comes.
// A device that is not here is an error.
Status runAllChecks(const std::string& device, const std::string& only,
                    const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
