// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The hand-made tables that this program grew from, beside what the catalogues and the estimator compute, with the
// reason wherever they differ. Used by the replay command; any thread.
#pragma once

#include "core/base/result.h"
#include "core/results/plans/hessian_analysis.h"
#include "core/results/tables.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace peakscope {

// One number of a table. Sizes are bytes (real numbers: some are beyond 64 bits), written in decimal units as there.
struct SeedCell {
    std::string model;
    std::string quantity; // "full_hessian", "verdict", …
    std::string unit;     // "bytes", "parameters", "flops", "bytes_per_second", "share"; empty for words
    double tableValue = 0;
    double computedValue = 0;
    std::string tableText; // as a person reads it
    std::string computedText;
    bool agrees = false; // within 5 %; words: the same in kind
    std::string reason;  // why they differ, or what the number stands for; may be empty where they agree
};

struct SeedTable {
    std::string title;
    std::vector<SeedCell> cells;
    std::vector<std::string> notes; // about the table as a whole
};

// Seed 000's and seed 002's tables. An error only where a catalogue cannot be read.
Result<std::vector<SeedTable>> replaySeedTables();

// A file's numbers beside computed ones. A model that no catalogue has is compared by its parameter count only.
Result<std::vector<SeedTable>> replayHessianAnalysis(const HessianAnalysis& analysis, const std::string& title);

nlohmann::json toJson(const std::vector<SeedTable>& tables);
Table toTable(const std::vector<SeedTable>& tables); // one row a cell, with the table's title in the first column

} // namespace peakscope
