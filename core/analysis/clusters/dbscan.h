// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DBSCAN (Ester, Kriegel, Sander, Xu, KDD 1996) with scikit-learn's semantics, and the k-distances that help to choose
// its radius. Used by `embed`, the experiments and the window's background thread. The same for any number of threads.
#pragma once

#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/neighbors/thread_team.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope {

struct DbscanOptions {
    double eps = 0.5;                // radius, above 0; a point at exactly this distance is a neighbour
    double minSamples = 5;           // weight of a neighbourhood, the point's own included, that makes it a core point
    std::span<const double> weights; // one per point, negative ones allowed; empty: 1 each
};

struct Clustering {
    std::vector<int> labels; // -1: noise; clusters are numbered by their first core point
    std::vector<bool> core;
    int clusters = 0;
    std::int64_t noise = 0; // points of label -1
};

// Clusters points by Euclidean distance. Up to 3 columns by a grid, in little more time than there are points; beyond
// by comparing all pairs. A border point belongs to the lowest of the clusters that reach it, as in scikit-learn.
Result<Clustering> dbscan(const PointTable& points, const DbscanOptions& options, ThreadTeam& team);

// Each point's distance to its k-th nearest, counting itself as the first, ascending: the plot whose knee suggests eps.
Result<std::vector<double>> kDistances(const PointTable& points, int k, ThreadTeam& team);

// The radius `embed` takes: twice the k-distance that 95 % of the points stay within (the next larger one above 0 where
// that is 0; 0.5 where all are).
double suggestedEps(std::span<const double> ascendingKDistances);

} // namespace peakscope
