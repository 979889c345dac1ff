// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `peakscope-cli embed`: UMAP, DBSCAN and their scores on a table of numbers. Touches no LibTorch.
#pragma once

#include "core/analysis/embedding/embedding.h"
#include "core/analysis/statistics/numeric_table.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace peakscope {

struct EmbedArguments {
    std::string features; // CSV with a header line
    std::string out;
    std::string labels; // column left out of the features
    std::vector<std::string> ignored;
    std::string metric = "euclidean", start = "spectral", missing = "refuse", noise = "out";
    EmbeddingOptions options;
    double a = 0, b = 0; // both above 0: instead of those fitted to spread and min_dist
    bool standardize = false;
    bool json = false;
};

// The subcommand with its options; `arguments` must outlive the app.
CLI::App* addEmbedCommand(CLI::App& app, EmbedArguments& arguments);

int embedCommand(const EmbedArguments& arguments);

} // namespace peakscope
