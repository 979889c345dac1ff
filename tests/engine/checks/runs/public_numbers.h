// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of stored experiments of privacy and perturbation, whose right numbers are known from elsewhere.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// `folder`: that of the experiments.
void publicNumberChecks(const std::string& folder, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
