// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/neighbors/metric_kernels.h"
#include "core/analysis/neighbors/neighbors.h"

#include <limits>

namespace peakscope {
namespace {

constexpr int kQueries = 6;              // rows compared with a panel at once: their sums stay in registers
constexpr std::int64_t kQueryGrain = 48; // rows of one chunk of work
constexpr std::int64_t kPanelBytes = 64 << 10;

// All rows, 16 by 16, value by value: lane l of line v of panel p is value v of row 16 p + l. Lanes past the last row
// repeat it and are skipped when read.
std::vector<float> buildPanels(const FeatureRows& features, ThreadTeam& team)
{
    const std::int64_t panels = (features.rows + kLanes - 1) / kLanes;
    std::vector<float> out(static_cast<std::size_t>(panels * features.width * kLanes));
    team.forRanges(panels, 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t panel = begin; panel < end; ++panel) {
            for (int lane = 0; lane < kLanes; ++lane) {
                const float* row = features.row(std::min(panel * kLanes + lane, features.rows - 1));
                for (std::int64_t value = 0; value < features.width; ++value)
                    out[static_cast<std::size_t>((panel * features.width + value) * kLanes + lane)] = row[value];
            }
        }
    });
    return out;
}

// The nearest rows of one row so far, nearest first. Candidates come in the order of their indices, so that of equal
// distances the first index stays.
struct NearestList {
    float* distance;
    std::int32_t* index;
    int size;

    float worst() const { return distance[size - 1]; }
    void insert(float value, std::int32_t row)
    {
        int at = size - 1;
        for (; at > 0 && distance[at - 1] > value; --at) {
            distance[at] = distance[at - 1];
            index[at] = index[at - 1];
        }
        distance[at] = value;
        index[at] = row;
    }
};

struct PanelScan {
    const float* panels;
    std::int64_t firstPanel, lastPanel;
    std::int64_t width, columns; // columns: without the padding, whose values are all zero
    std::int64_t rows;
    const float* queries[kQueries];
    std::int64_t queryRow[kQueries];
    NearestList nearest[kQueries];
    int count; // queries in use
};

void offerLanes(NearestList& nearest, const Float16& distances, std::int64_t first, std::int64_t rows,
                std::int64_t self)
{
    for (int lane = 0; lane < kLanes && first + lane < rows; ++lane) {
        if (distances[lane] < nearest.worst() && first + lane != self)
            nearest.insert(distances[lane], static_cast<std::int32_t>(first + lane));
    }
}

template <typename Kernel>
PEAKSCOPE_INLINE void scanPanels(PanelScan& scan)
{
    for (std::int64_t panel = scan.firstPanel; panel < scan.lastPanel; ++panel) {
        Float16 sum[kQueries] = {}, second[kQueries] = {};
        const float* line = scan.panels + panel * scan.width * kLanes;
        for (std::int64_t value = 0; value < scan.columns; ++value, line += kLanes) {
            Float16 candidates;
            loadLanes(candidates, line);
            for (int q = 0; q < kQueries; ++q) {
                const Float16 own = Float16{} + scan.queries[q][value];
                Kernel::add(sum[q], second[q], own, candidates);
            }
        }
        for (int q = 0; q < scan.count; ++q) {
            Float16 distances = sum[q];
            if constexpr (Kernel::kSecond)
                distances = second[q] > 0.0f ? sum[q] / (second[q] > 0.0f ? second[q] : Float16{} + 1.0f) : Float16{};
            if (anyLane(distances < scan.nearest[q].worst()))
                offerLanes(scan.nearest[q], distances, panel * kLanes, scan.rows, scan.queryRow[q]);
        }
    }
}

PEAKSCOPE_SIMD_CLONES void scanSquared(PanelScan& scan)
{
    scanPanels<SquaredKernel>(scan);
}
PEAKSCOPE_SIMD_CLONES void scanManhattan(PanelScan& scan)
{
    scanPanels<ManhattanKernel>(scan);
}
PEAKSCOPE_SIMD_CLONES void scanChebyshev(PanelScan& scan)
{
    scanPanels<ChebyshevKernel>(scan);
}
PEAKSCOPE_SIMD_CLONES void scanCanberra(PanelScan& scan)
{
    scanPanels<CanberraKernel>(scan);
}
PEAKSCOPE_SIMD_CLONES void scanBrayCurtis(PanelScan& scan)
{
    scanPanels<BrayCurtisKernel>(scan);
}

using ScanFunction = void (*)(PanelScan&);

ScanFunction scanFunction(Metric metric)
{
    switch (metric) {
    case Metric::Euclidean:
    case Metric::Cosine:
    case Metric::Correlation:
        return scanSquared;
    case Metric::Manhattan:
        return scanManhattan;
    case Metric::Chebyshev:
        return scanChebyshev;
    case Metric::Canberra:
        return scanCanberra;
    case Metric::BrayCurtis:
        return scanBrayCurtis;
    }
    return scanSquared;
}

} // namespace

bool exactNeighbors(const FeatureRows& features, ThreadTeam& team, NeighborTable& table)
{
    const std::int64_t rows = features.rows, panels = (rows + kLanes - 1) / kLanes;
    const std::vector<float> panelData = buildPanels(features, team);
    const std::int64_t block = std::max<std::int64_t>(1, kPanelBytes / (features.width * kLanes * 4));
    const ScanFunction scanBlock = scanFunction(features.metric);
    const int others = table.neighbors - 1;
    team.forRanges(rows, kQueryGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t at = row * table.neighbors;
            table.index[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(row);
            table.distance[static_cast<std::size_t>(at)] = 0;
            std::fill_n(table.distance.begin() + at + 1, others, std::numeric_limits<float>::infinity());
        }
        for (std::int64_t panel = 0; panel < panels && others > 0 && !team.stopped(); panel += block) {
            for (std::int64_t first = begin; first < end; first += kQueries) {
                PanelScan scan{panelData.data(),
                               panel,
                               std::min(panel + block, panels),
                               features.width,
                               features.columns,
                               rows,
                               {},
                               {},
                               {},
                               static_cast<int>(std::min<std::int64_t>(kQueries, end - first))};
                for (int q = 0; q < kQueries; ++q) {
                    const std::int64_t row = std::min(first + q, end - 1);
                    const std::int64_t at = row * table.neighbors + 1;
                    scan.queries[q] = features.row(row);
                    scan.queryRow[q] = row;
                    scan.nearest[q] = {table.distance.data() + at, table.index.data() + at, others};
                }
                scanBlock(scan);
            }
        }
    });
    return !team.stopped();
}

} // namespace peakscope
