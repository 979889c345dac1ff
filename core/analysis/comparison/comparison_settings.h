// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What runs were told and what of them cannot be compared: the parts of compareRuns that look at set-ups. Private to
// core/analysis; any thread.
#pragma once

#include "core/analysis/comparison/run_comparison.h"

namespace peakscope {

// The value at a dotted path; null where there is none.
nlohmann::json settingAt(const nlohmann::json& config, std::string_view path);

std::vector<ComparisonCaveat> comparisonCaveats(const std::vector<ComparedRun>& runs, std::size_t base);
std::vector<DifferentSetting> differentSettings(const std::vector<ComparedRun>& runs);
std::vector<ScalingFit> scalingFits(const std::vector<ComparedRun>& runs);

} // namespace peakscope
