// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How good a clustering or an embedding is: silhouette, adjusted Rand index, trustworthiness. Used by `embed`, the
// experiments and the window's background thread. The same bits for any number of threads.
#pragma once

#include "core/analysis/neighbors/neighbors.h"
#include "core/analysis/neighbors/thread_team.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace peakscope {

// Rows of coordinates, row by row.
struct PointTable {
    std::span<const double> values;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

enum class NoisePoints {
    AsCluster, // label -1 is a label like any other (scikit-learn's silhouette_score)
    LeftOut,   // points of label -1 are neither scored nor counted
};

struct SilhouetteScore {
    double mean = 0;
    std::vector<double> values; // one per scored point, in the order of `points`
    std::vector<std::int64_t> points;
    std::int64_t labels = 0; // how many different ones
    bool sampled = false;    // scored on a fixed sample of the points, each against all
};

// Mean over points of (b - a) / max(a, b): a the mean distance to the other points of its cluster, b the smallest mean
// distance to another cluster (Rousseeuw, J. Comput. Appl. Math. 20, 1987). A cluster of one scores 0. Euclidean.
// BadInput where there are not 2 to n - 1 labels. `mostPoints`: more points than that are sampled; 0: never.
Result<SilhouetteScore> silhouette(const PointTable& points, std::span<const int> labels, NoisePoints noise,
                                   ThreadTeam& team, std::int64_t mostPoints = 0);

// Hubert and Arabie's adjusted Rand index of two labellings of the same points; 1 for equal partitions.
double adjustedRandIndex(std::span<const int> a, std::span<const int> b);

struct Trustworthiness {
    double value = 1;
    int neighbors = 0;
    std::int64_t points = 0; // on how many it was measured, each against all
    bool sampled = false;
};

// Venna and Kaski's trustworthiness: 1 less a penalty for each of the k nearest points of the embedding (without the
// point itself) that is not among its k nearest rows of features. Euclidean in the embedding. BadInput for k outside
// 1 to (n - 1) / 2. `mostPoints`: more points than that are sampled, evenly spread; 0: never.
Result<Trustworthiness> trustworthiness(const FeatureRows& features, std::span<const float> embedding, int dimensions,
                                        int neighbors, ThreadTeam& team, std::int64_t mostPoints = 0);

} // namespace peakscope
