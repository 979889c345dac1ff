// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that an embedding has no place for: those without a direction, and those whose every edge lies at a bounded
// metric's maximum distance. Such an edge says "nothing in common", not "near"; it is cut. umap-learn cuts it for
// jaccard, dice, hellinger, cosine and correlation; here every bounded metric does. Used by Umap.
#pragma once

#include "core/analysis/neighbors/neighbors.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace peakscope {

struct UnplacedRows {
    std::vector<std::int64_t> withoutDirection; // rows of the table, from 0, ascending
    std::vector<std::int64_t> withoutEdge;

    std::int64_t count() const { return static_cast<std::int64_t>(withoutDirection.size() + withoutEdge.size()); }
};

// All of 0 to rows - 1 but `left`, which is ascending.
std::vector<std::int64_t> rowsWithout(std::int64_t rows, std::span<const std::int64_t> left);

// Those rows alone, in that order.
FeatureRows selectRows(const FeatureRows& features, std::span<const std::int64_t> kept);
// The same of neighbours; no kept row may have an edge to one that is not kept.
NeighborTable selectRows(const NeighborTable& table, std::span<const std::int64_t> kept);

// Cuts every edge at the maximum distance: its index becomes -1, its distance infinite. Returns the rows that have no
// edge left in either direction. What an approximate search finds no edge of is compared with all rows first, as far as
// that takes a few seconds.
std::vector<std::int64_t> cutFarthestEdges(const FeatureRows& features, NeighborTable& table, ThreadTeam& team);

// A sentence about each kind of such rows, with row numbers from 1.
std::vector<std::string> unplacedNotes(const UnplacedRows& unplaced, const FeatureRows& features);
// What is wrong where no row of `rows` is left.
Error nothingPlaced(const UnplacedRows& unplaced, std::int64_t rows, Metric metric);

} // namespace peakscope
