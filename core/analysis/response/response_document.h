// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sections "partition", "embedding" and "prm" of a result document, from what analysis found; and those of the
// synthetic mode as a whole. Used by the experiment, by `run` and by the window. Any thread.
#pragma once

#include "core/analysis/embedding/embedding.h"
#include "core/analysis/response/noise_response.h"
#include "core/analysis/response/partition.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

nlohmann::json toJson(const UnitPartition& partition);
nlohmann::json toJson(const EmbeddingReport& embedding, const EmbeddingOptions& options);

// The rows of one drawing: one per attack.
std::vector<nlohmann::json> toRows(const NoiseResponse& response);

// results, summary, comparisons, trends, hypotheses and conclusions of a section "prm".
nlohmann::json responseSection(std::span<const NoiseResponse> responses);

// A table of features, made ready for UMAP: columns that grow over decades are compressed (asinh of the value by its
// median magnitude), then every column gets mean 0 and standard deviation 1. Constant columns and those without numbers
// are left out, numbers that are missing become the column's mean; both are said in `notes`.
struct EmbeddingInput {
    std::vector<double> values; // rows x columns
    std::int64_t rows = 0, columns = 0;
    std::vector<std::string> names; // of the columns kept
    std::vector<std::string> notes;
};
EmbeddingInput embeddingInput(const std::vector<std::string>& names, const std::vector<std::vector<double>>& rows);

struct SyntheticOptions {
    std::vector<double> sigmas; // scales of the noise
    std::int64_t repeats = 3;   // drawings at every scale
    ClassThresholds thresholds;
};

struct SyntheticRun {
    nlohmann::json sections = nlohmann::json::object(); // synthetic, features, embedding, partition, prm
    std::vector<std::string> notes;
};

// The whole pipeline on made-up units and answers, for looking before computing; every section carries the word.
Result<SyntheticRun> syntheticRun(const SyntheticOptions& options, std::uint64_t seed,
                                  const std::stop_token& stop = {});

} // namespace peakscope
