// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result found beside bytes and times, in lines for terminals and summaries and as tables. Any thread.
#pragma once

#include "core/results/curvature_section.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Diagonals with their range, the trace with its 95 % interval, the top eigenvalues.
std::vector<std::string> curvatureLines(const CurvatureData& data);

// "silhouette 0.41 of 3 clusters; mean sparsity 0.52 of 900 units"; empty where a result holds neither.
std::vector<std::string> unitLines(const nlohmann::json& sections);

// Of the last step's rows, before clipping.
struct NormRange {
    double least = 0, median = 0, most = 0;
    std::size_t count = 0;
};
std::optional<NormRange> sampleNormRange(const RunResult& result);

struct EpsilonDelta {
    double epsilon = 0, delta = 0;
};
std::optional<EpsilonDelta> privacyOf(const RunResult& result);

// Epsilon with its delta, and the norms of the rows' gradients.
std::vector<std::string> privacyLines(const RunResult& result);
// The same as one row; no row where the result holds neither.
Table privacyTable(const RunResult& result);

} // namespace peakscope
