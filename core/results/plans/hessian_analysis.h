// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_memory_analysis.json: what a script's rule of thumb says a Hessian of each model takes. Read for the replay,
// which shows its numbers beside computed ones, for the notes on what is odd about them, and for the window and the
// figure, which draw them. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// All sizes are bytes. Real numbers: the matrix of a model above 1.5·10^9 parameters has more bytes than an integer
// counts. What a file lacks is absent.
struct HessianAnalysisModel {
    std::string model; // as in the file: "facebook/opt-125m"
    std::int64_t totalParameters = 0;
    std::int64_t trainableParameters = 0;
    std::optional<double> parameters, gradients, diagonal, full, activations, intermediate; // memory_breakdown
    std::optional<double> diagonalStrategy, blockDiagonalStrategy, fullStrategy, approximateStrategy;
    std::vector<std::string> notes; // what is odd about this entry, with the rule of thumb where it can be told
};

struct HessianAnalysis {
    std::vector<HessianAnalysisModel> models;
    std::vector<std::string> notes; // about all of them
};

// Whether a document looks like one: a non-empty array whose first entry has a memory_breakdown and strategies.
bool looksLikeHessianAnalysis(const nlohmann::json& document);

// The error names the path of the first thing that is wrong, with `file` before it.
Result<HessianAnalysis> hessianAnalysisFromJson(const nlohmann::json& document, const std::string& file);

// What an imported result holds of one; an error where it holds none, or one that was changed into something else.
Result<HessianAnalysis> hessianAnalysisOf(const RunResult& result);

enum class HessianStrategyKind { Diagonal, BlockDiagonal, Approximate, Full };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<HessianStrategyKind>{"diagonal", "block_diagonal",
                                                                                 "approximate", "full"};

// One sum of the file, with what it is the sum of. `hessian` is what the sum has beyond the other four.
struct HessianStrategy {
    HessianStrategyKind kind = HessianStrategyKind::Diagonal;
    double total = 0;
    bool hasParts = false; // the file has all four parts, and they are not more than the sum
    double parameters = 0, gradients = 0, activations = 0, intermediate = 0, hessian = 0;
};
// Those that the file has, in the order of their kinds.
std::vector<HessianStrategy> hessianStrategies(const HessianAnalysisModel& model);

// A row a model and strategy; parts that the file lacks are empty.
Table hessianMemoryTable(const HessianAnalysis& analysis);

} // namespace peakscope
