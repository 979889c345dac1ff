// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the runs of `compare-methods` are called, by the command itself and by whatever shows its results: methods as
// --methods names them. Pure functions.
#pragma once

#include "core/results/run_result.h"

#include <string>

namespace peakscope {

// The method without clipping, against which the others are shown.
inline constexpr const char* kVanilla = "vanilla";

// The value of training.clipping for a method, and the method for such a value.
std::string clippingOfMethod(const std::string& method);
std::string methodOfClipping(const std::string& clipping);

// "vanilla", "ghost", …: of a run of a comparison; empty for other results.
std::string comparedMethod(const RunResult& result);

} // namespace peakscope
