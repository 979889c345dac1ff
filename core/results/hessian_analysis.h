// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_memory_analysis.json: what a script's rule of thumb says a Hessian of each model takes. Read for the replay,
// which shows its numbers beside computed ones, and for the notes on what is odd about them. Any thread.
#pragma once

#include "core/base/result.h"

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

} // namespace peakscope
