// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest rows of every row of a table, exact or approximate. Used by UMAP and the scores. The same bits for any
// number of threads; equal distances are ordered by index.
#pragma once

#include "core/analysis/neighbors/thread_team.h"
#include "core/base/enum_words.h"
#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace peakscope {

enum class Metric { Euclidean, Manhattan, Chebyshev, Cosine, Correlation, Canberra, BrayCurtis };
template <>
inline constexpr std::array<std::string_view, 7> kEnumWords<Metric>{"euclidean",   "manhattan", "chebyshev", "cosine",
                                                                    "correlation", "canberra",  "braycurtis"};
inline constexpr auto& metricFromName = fromName<Metric>;

// "euclidean, manhattan, …", for messages.
std::string metricNames();

// Rows ready for one metric: single precision, each padded with zeros to a multiple of 16 values.
struct FeatureRows {
    Metric metric = Metric::Euclidean;
    std::int64_t rows = 0;
    std::int64_t columns = 0; // values of a row
    std::int64_t width = 0;   // the same with its padding
    std::vector<float> data;  // rows x width
    // Without a direction, ascending: all zeros under cosine and Bray-Curtis, of one value under correlation.
    std::vector<std::int64_t> zeroRows;
    // The largest distance that two rows can have under a bounded metric: cosine and correlation 2, Canberra the number
    // of columns, Bray-Curtis 1 where no two values differ in sign; else infinite.
    float most = std::numeric_limits<float>::infinity();
    bool fromMean = false; // directions are those from the rows' mean: from zero all are one
    bool drowned = false;  // what tells the rows apart is no more than rounding left of the values
    int exponent = 0;      // of the power of two that values were multiplied by; 0 for values of everyday size

    const float* row(std::int64_t i) const { return data.data() + i * width; }
};

// `values` is rows x columns, row by row. Values that single precision would blur (a column far from zero for its
// spread) are centred where the metric allows it; values too large or too small to be squared are scaled. Cosine and
// correlation become Euclidean distances of unit vectors, a zero row being at distance 1 from all but zero rows.
FeatureRows prepareFeatures(std::span<const double> values, std::int64_t rows, std::int64_t columns, Metric metric);

// Whether single precision tells no row from another.
bool areAllEqual(const FeatureRows& features);

// The distance of two prepared rows, in the units of the table.
double featureDistance(const FeatureRows& features, std::int64_t a, std::int64_t b);

struct NeighborTable {
    std::int64_t rows = 0;
    int neighbors = 0;               // per row, the row itself first
    std::vector<std::int32_t> index; // rows x neighbors, nearest first; -1: no edge, its distance is infinite
    std::vector<float> distance;     // the same shape, in those of the prepared rows
    bool exact = true;

    std::span<const std::int32_t> indexOf(std::int64_t row) const
    {
        return {index.data() + row * neighbors, static_cast<std::size_t>(neighbors)};
    }
    std::span<const float> distanceOf(std::int64_t row) const
    {
        return {distance.data() + row * neighbors, static_cast<std::size_t>(neighbors)};
    }
};

enum class NeighborSearch {
    Automatic,   // exact up to about a second of work, approximate beyond
    Exact,       // every pair
    Approximate, // random projection trees refined by neighbour descent
};

// `neighbors` counts the row itself and is at most the number of rows. Interrupted where the team was stopped.
Result<NeighborTable> findNeighbors(const FeatureRows& features, int neighbors, NeighborSearch search,
                                    std::uint64_t seed, ThreadTeam& team);

// The two ways, for findNeighbors and tests. False where the team was stopped. Distances are left as the metric's inner
// loop has them (see finishDistance); findNeighbors turns them into distances.
bool exactNeighbors(const FeatureRows& features, ThreadTeam& team, NeighborTable& table);
bool approximateNeighbors(const FeatureRows& features, std::uint64_t seed, ThreadTeam& team, NeighborTable& table);

// Comparable distances, cheaper than true ones and in the same order: squared for the Euclidean kind.
float finishDistance(Metric metric, float comparable);

// out[i] = comparable distance of row `from` and row rows[i].
void comparableDistances(const FeatureRows& features, std::int64_t from, std::span<const std::int32_t> rows,
                         float* out);

// out[i] = comparable distance of row `from` and row first + i, for i below count.
void comparableDistances(const FeatureRows& features, std::int64_t from, std::int64_t first, std::int64_t count,
                         float* out);

} // namespace peakscope
