// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole way from a table of features to a scored, clustered embedding: UMAP, DBSCAN, silhouette, trustworthiness.
// Used by `peakscope-cli embed` and the experiments. The same bits for any number of threads.
#pragma once

#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/clusters/dbscan.h"
#include "core/analysis/embedding/umap.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct EmbeddingOptions {
    UmapOptions umap;
    double eps = 0;                           // DBSCAN's radius in the embedding; 0: suggestedEps of its k-distances
    int minSamples = 5;                       // DBSCAN's
    NoisePoints noise = NoisePoints::LeftOut; // of the silhouette
    std::int64_t mostScoredPoints = 3000;     // silhouette and trustworthiness are of a sample beyond; 0: always of all
};

struct EmbeddingReport {
    std::int64_t rows = 0;
    int dimensions = 2;
    std::vector<float> coordinates;   // rows x dimensions, row by row; NaN for rows without a place
    std::vector<std::int64_t> placed; // the rows that have one, ascending
    Clustering clusters;              // of all rows: -1 for those without a place, too
    double eps = 0;
    std::optional<SilhouetteScore> silhouette;      // nothing where there are fewer than two clusters
    std::optional<Trustworthiness> trustworthiness; // nothing for fewer than three rows, or equal ones
    UmapSummary umap;
    double seconds = 0, clusterSeconds = 0, scoreSeconds = 0; // in all; of clustering; of scoring
    std::vector<std::string> notes;                           // UMAP's and those of the scores
};

Result<EmbeddingReport> embedTable(std::span<const double> values, std::int64_t rows, std::int64_t columns,
                                   const EmbeddingOptions& options, const std::stop_token& stop = {},
                                   const UmapObserver& observer = {});

} // namespace peakscope
