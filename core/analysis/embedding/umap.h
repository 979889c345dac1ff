// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// UMAP (McInnes, Healy, Melville, arXiv 1802.03426) with umap-learn's parameters and defaults. Used by `peakscope-cli
// embed`, the experiments and the window's background thread. The same seed gives the same embedding, bit for bit, for
// any number of threads.
#pragma once

#include "core/analysis/embedding/layout_optimizer.h"
#include "core/analysis/embedding/start_layout.h"
#include "core/analysis/embedding/unplaced_rows.h"
#include "core/analysis/neighbors/neighbors.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct UmapOptions {
    int neighbors = 15; // with the point itself, 2 or more; larger: more global structure, more time
    int dimensions = 2; // of the embedding, 1 to 64
    Metric metric = Metric::Euclidean;
    double minDist = 0.1;         // least distance of points in the embedding, 0 to spread; larger: looser clusters
    double spread = 1;            // scale of the embedding, above 0
    int epochs = 0;               // 0: 500 up to 10,000 rows, else 200
    double learningRate = 1;      // at the first epoch, above 0; it falls to 0 in equal steps
    int negativeSampleRate = 5;   // repulsive samples for each attraction, 0 or more
    double repulsionStrength = 1; // weight of those, 0 or more
    double localConnectivity = 1; // neighbours that every point is surely tied to, 0 or more, may be fractional
    double setOpMixRatio = 1;     // 1: fuzzy union of the two directions, 0: their intersection
    UmapStart start = UmapStart::Spectral;
    NeighborSearch search = NeighborSearch::Automatic;
    std::uint64_t seed = 42;
    std::optional<CurveFit> curve; // a and b; fitted to spread and minDist where absent
    int threads = 0;               // 0: all of this process'; does not change the result
};

// Done where every option is in its range, else BadInput naming the option.
Status checkUmapOptions(const UmapOptions& options);

struct UmapSummary {
    int neighbors = 0; // as used: fewer than asked for where there are too few rows
    int epochs = 0;
    CurveFit curve;
    bool exactNeighbors = true;
    UmapStart start = UmapStart::Spectral; // as used
    int parts = 1;                         // connected parts of the graph
    std::int64_t edges = 0;
    UnplacedRows unplaced;
    double neighborSeconds = 0, graphSeconds = 0, startSeconds = 0, layoutSeconds = 0;
    std::vector<std::string> notes; // what differs from what was asked for, a sentence each
};

enum class UmapStage { Neighbors, Graph, Start, Layout };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<UmapStage>{"neighbours", "graph", "start", "layout"};

// Called between steps on the calling thread: the stage and how much of it is done, 0 to 1.
using UmapObserver = std::function<void(UmapStage, double)>;

// One embedding, from the neighbours to any epoch. Not for several threads at once; it brings its own.
class Umap
{
public:
    // Neighbours, graph and start, for rows x columns finite values, row by row. Interrupted within 100 ms of a request
    // to stop; BadInput for options out of range, values that are no table, or where no row can be placed. One row is
    // put at the origin.
    static Result<Umap> create(std::span<const double> values, std::int64_t rows, std::int64_t columns,
                               const UmapOptions& options, const std::stop_token& stop = {},
                               const UmapObserver& observer = {});

    std::int64_t rows() const { return m_rows; } // of the table
    // The rows of the table that have a place, ascending: all but summary().unplaced.
    const std::vector<std::int64_t>& placed() const { return m_placed; }
    int dimensions() const { return m_options.dimensions; }
    int epoch() const;
    int epochs() const { return m_summary.epochs; }
    bool finished() const { return epoch() >= epochs(); }
    const UmapSummary& summary() const { return m_summary; }

    // placed() x dimensions, row by row, as they are after epoch().
    std::span<const float> coordinates() const;
    // rows() x dimensions: the same, and NaN for rows without a place.
    std::vector<float> tableCoordinates() const;

    // The neighbours that the embedding stands on, a row of placed() each, itself first; none where rows() is 1.
    const NeighborTable& neighbors() const { return m_neighbors; }

    // The prepared features of placed(), for trustworthiness.
    const FeatureRows& features() const { return m_features; }

    // Goes on to the end of `epoch` (no further than epochs()). Interrupted within 100 ms where a stop was asked for:
    // the embedding is then somewhere in the epoch after epoch() and another call goes on from there, to the same end.
    Status runTo(int epoch, const std::stop_token& stop = {}, const UmapObserver& observer = {});

private:
    Umap() = default;
    Status leaveOutZeroRows();
    Status leaveOutFarRows(ThreadTeam& team); // the graph loses its edges at the maximum distance

    UmapOptions m_options;
    UmapSummary m_summary;
    std::int64_t m_rows = 0;
    std::vector<std::int64_t> m_placed;
    FeatureRows m_features;
    NeighborTable m_neighbors;
    std::vector<float> m_single; // the coordinates of a table of one row
    std::unique_ptr<LayoutOptimizer> m_layout;
};

} // namespace peakscope
