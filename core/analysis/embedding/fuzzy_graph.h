// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fuzzy graph of UMAP (McInnes, Healy, Melville, arXiv 1802.03426, section 3 and algorithms 2 and 3), with the
// details of umap-learn 0.5. Used by Umap; any thread.
#pragma once

#include "core/analysis/neighbors/neighbors.h"

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope {

// A square sparse matrix by rows; the columns of a row are ascending.
struct SparseGraph {
    std::int64_t rows = 0;
    std::vector<std::int64_t> begin; // rows + 1
    std::vector<std::int32_t> target;
    std::vector<float> weight;

    std::int64_t edges() const { return static_cast<std::int64_t>(target.size()); }
};

// Per row: distances are measured from rho, in units of sigma.
struct LocalScale {
    std::vector<float> sigma;
    std::vector<float> rho;
};

// rho: distance of the nearest row that is not at 0 (interpolated between two for a fractional localConnectivity);
// sigma: so that the memberships of the row's neighbours sum to log2(neighbors), by bisection. The row itself, first in
// its list, does not count.
LocalScale localScale(const NeighborTable& table, double localConnectivity, ThreadTeam& team);

// Memberships exp(-(d - rho) / sigma) joined with those of the other direction: mix * (a + b - ab) + (1 - mix) * ab.
// `mix` 1 is the fuzzy union, 0 the intersection.
SparseGraph fuzzyGraph(const NeighborTable& table, const LocalScale& scale, double mix, ThreadTeam& team);

// The graph without the edges that `epochs` epochs would never visit: those lighter than the heaviest by that factor.
SparseGraph pruneGraph(const SparseGraph& graph, int epochs);

// The number of connected parts, and which part each row is in; parts are numbered by their first row.
struct GraphParts {
    int count = 0;
    std::vector<std::int32_t> of;
};
GraphParts connectedParts(const SparseGraph& graph);

// The two numbers of the low-dimensional membership 1 / (1 + a d^(2b)).
struct CurveFit {
    double a = 1;
    double b = 1;
};

// Least squares on umap-learn's 300 distances up to 3 * spread, against 1 below minDist and exp(-(d - minDist) /
// spread) beyond. spread > 0, minDist >= 0.
CurveFit fitCurve(double spread, double minDist);

} // namespace peakscope
