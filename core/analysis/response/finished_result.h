// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The door between documents and what shows them: everything behind it takes sections by their types. Any thread, but
// none that must answer at once: a million entries take a second.
#pragma once

#include "core/results/analysis_sections.h"
#include "core/results/curvature_section.h"
#include "core/results/run_result.h"

#include <memory>

namespace peakscope {

// The result to be shared, with its typed sections read.
std::shared_ptr<const RunResult> finishedResult(RunResult result);

// The analysis sections of an object, with means and effects where it holds drawings alone.
Result<AnalysisData> analysisOf(const nlohmann::json& sections, bool synthetic);

} // namespace peakscope
