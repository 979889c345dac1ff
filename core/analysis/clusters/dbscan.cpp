// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/clusters/dbscan.h"

#include "core/analysis/clusters/point_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr std::int64_t kGridColumns = 3;
constexpr std::int64_t kScanGrain = 64;
constexpr double kMostCells = 1e8; // along an axis: beyond, cell numbers lose the exactness the grid relies on
constexpr int kReach = 2;          // cells of side eps / sqrt(columns) that a radius of eps can cross

// Disjoint sets in which the lowest member speaks for its set.
class DisjointSets
{
public:
    explicit DisjointSets(std::size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0); }
    std::size_t find(std::size_t i)
    {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b)
    {
        a = find(a);
        b = find(b);
        m_parent[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> m_parent;
};

// Numbers the sets of core points by their first one; the other points are still noise.
Clustering numberClusters(const std::vector<std::uint8_t>& core, DisjointSets& sets)
{
    Clustering out;
    out.core.assign(core.begin(), core.end());
    out.labels.assign(core.size(), -1);
    std::vector<int> labelOfSet(core.size(), -1);
    for (std::size_t i = 0; i < core.size(); ++i) {
        if (!core[i])
            continue;
        int& label = labelOfSet[sets.find(i)];
        if (label < 0)
            label = out.clusters++;
        out.labels[i] = label;
    }
    return out;
}

void countNoise(Clustering& out)
{
    out.noise = std::count(out.labels.begin(), out.labels.end(), -1);
}

Status checkDbscan(std::size_t rows, const DbscanOptions& options)
{
    if (!(options.eps > 0))
        return badInput("dbscan", "eps must be above 0");
    if (!(options.minSamples >= 1))
        return badInput("dbscan", "min_samples must be 1 or more");
    if (!options.weights.empty() && options.weights.size() != rows)
        return badInput("dbscan", "needs one weight per point");
    return Done{};
}

class DistanceTest
{
public:
    DistanceTest(const PointTable& points, double eps) : m_points(points), m_squaredEps(eps * eps) {}
    bool near(std::int64_t a, std::int64_t b) const
    {
        const double *x = m_points.values.data() + a * m_points.columns,
                     *y = m_points.values.data() + b * m_points.columns;
        double squares = 0;
        for (std::int64_t axis = 0; axis < m_points.columns; ++axis)
            squares += (x[axis] - y[axis]) * (x[axis] - y[axis]);
        return squares <= m_squaredEps;
    }

private:
    const PointTable& m_points;
    double m_squaredEps;
};

// Points in cells in which any two are within eps of each other.
class PointGrid
{
public:
    using Cell = std::array<std::int64_t, kGridColumns>;

    // False where the points are too far apart for their eps.
    bool build(const PointTable& points, double eps)
    {
        const double side = eps / std::sqrt(static_cast<double>(points.columns)) * (1 - 1e-6);
        Cell zero{};
        std::array<double, kGridColumns> low{};
        for (std::int64_t axis = 0; axis < points.columns; ++axis) {
            double least = std::numeric_limits<double>::infinity(), most = -least;
            for (std::int64_t i = 0; i < points.rows; ++i) {
                const double value = points.values[static_cast<std::size_t>(i * points.columns + axis)];
                least = std::min(least, value);
                most = std::max(most, value);
            }
            if (!((most - least) / side < kMostCells) || std::abs(most) / side > 1e9 || std::abs(least) / side > 1e9)
                return false;
            low[static_cast<std::size_t>(axis)] = least;
        }
        std::vector<Cell> cellOfPoint(static_cast<std::size_t>(points.rows), zero);
        for (std::size_t i = 0; i < cellOfPoint.size(); ++i) {
            for (std::size_t axis = 0; axis < static_cast<std::size_t>(points.columns); ++axis)
                cellOfPoint[i][axis] = static_cast<std::int64_t>(std::floor(
                    (points.values[i * static_cast<std::size_t>(points.columns) + axis] - low[axis]) / side));
        }
        members.resize(cellOfPoint.size());
        std::iota(members.begin(), members.end(), 0);
        std::sort(members.begin(), members.end(), [&](std::int64_t a, std::int64_t b) {
            return std::pair(cellOfPoint[static_cast<std::size_t>(a)], a) <
                   std::pair(cellOfPoint[static_cast<std::size_t>(b)], b);
        });
        for (std::size_t i = 0; i < members.size(); ++i) {
            const Cell& cell = cellOfPoint[static_cast<std::size_t>(members[i])];
            if (cells.empty() || cells.back() != cell) {
                cells.push_back(cell);
                begin.push_back(i);
            }
        }
        begin.push_back(members.size());
        columns = points.columns;
        return true;
    }

    // Calls visit(cell number) for the cells that may hold points within eps of those of `cell`, itself included.
    template <typename Visit>
    void around(std::size_t cell, Visit visit) const
    {
        const int reachY = columns > 1 ? kReach : 0, reachZ = columns > 2 ? kReach : 0;
        // The last axis runs fastest in the order of the cells, so a run of it is found with one search.
        for (int x = -kReach; x <= kReach; ++x) {
            for (int y = -reachY; y <= reachY; ++y) {
                Cell from = cells[cell], to;
                from[0] += x;
                from[1] += y;
                to = from;
                std::size_t last = columns == 1 ? 0 : columns == 2 ? 1 : 2;
                if (last == 2) {
                    from[2] -= reachZ;
                    to[2] += reachZ;
                }
                for (auto i =
                         static_cast<std::size_t>(std::lower_bound(cells.begin(), cells.end(), from) - cells.begin());
                     i < cells.size() && cells[i] <= to; ++i)
                    visit(i);
            }
        }
    }

    std::vector<Cell> cells;           // those that hold points, in order
    std::vector<std::size_t> begin;    // of each cell's members, and the end
    std::vector<std::int64_t> members; // points, by cell
    std::int64_t columns = 0;
};

double weightOf(const DbscanOptions& options, std::int64_t point)
{
    return options.weights.empty() ? 1.0 : options.weights[static_cast<std::size_t>(point)];
}

// Which points are core points. Without weights counting ends as soon as there are enough.
std::vector<std::uint8_t> corePoints(const PointGrid& grid, const DistanceTest& test, const DbscanOptions& options,
                                     ThreadTeam& team)
{
    std::vector<std::uint8_t> core(grid.members.size(), 0);
    const bool unweighted = options.weights.empty();
    team.forRanges(static_cast<std::int64_t>(grid.cells.size()), kScanGrain,
                   [&](std::int64_t first, std::int64_t last) {
                       for (auto cell = static_cast<std::size_t>(first);
                            cell < static_cast<std::size_t>(last) && !team.stopped(); ++cell) {
                           const auto inCell = static_cast<double>(grid.begin[cell + 1] - grid.begin[cell]);
                           for (std::size_t i = grid.begin[cell]; i < grid.begin[cell + 1]; ++i) {
                               const std::int64_t point = grid.members[i];
                               double weight = 0;
                               if (unweighted && inCell >= options.minSamples) {
                                   weight = inCell;
                               } else {
                                   grid.around(cell, [&](std::size_t other) {
                                       for (std::size_t j = grid.begin[other]; j < grid.begin[other + 1]; ++j) {
                                           if (unweighted && weight >= options.minSamples)
                                               return;
                                           if (test.near(point, grid.members[j]))
                                               weight += weightOf(options, grid.members[j]);
                                       }
                                   });
                               }
                               core[static_cast<std::size_t>(point)] = weight >= options.minSamples;
                           }
                       }
                   });
    return core;
}

// Core points of one cell are connected; two cells are where any two of their core points are near.
void joinCells(const PointGrid& grid, const DistanceTest& test, const std::vector<std::uint8_t>& core,
               DisjointSets& sets, const ThreadTeam& team)
{
    std::vector<std::vector<std::int64_t>> coreOf(grid.cells.size());
    for (std::size_t cell = 0; cell < grid.cells.size(); ++cell) {
        for (std::size_t i = grid.begin[cell]; i < grid.begin[cell + 1]; ++i) {
            if (core[static_cast<std::size_t>(grid.members[i])])
                coreOf[cell].push_back(grid.members[i]);
        }
        for (const std::int64_t point : coreOf[cell])
            sets.join(static_cast<std::size_t>(coreOf[cell][0]), static_cast<std::size_t>(point));
    }
    const auto touch = [&](std::size_t a, std::size_t b) {
        for (const std::int64_t one : coreOf[a]) {
            if (std::any_of(coreOf[b].begin(), coreOf[b].end(), [&](std::int64_t two) { return test.near(one, two); }))
                return true;
        }
        return false;
    };
    for (std::size_t cell = 0; cell < grid.cells.size() && !team.stopped(); ++cell) {
        grid.around(cell, [&](std::size_t other) {
            if (other <= cell || coreOf[cell].empty() || coreOf[other].empty())
                return;
            const auto a = static_cast<std::size_t>(coreOf[cell][0]), b = static_cast<std::size_t>(coreOf[other][0]);
            if (sets.find(a) != sets.find(b) && touch(cell, other))
                sets.join(a, b);
        });
    }
}

Clustering gridDbscan(const PointGrid& grid, const PointTable& points, const DbscanOptions& options, ThreadTeam& team)
{
    const DistanceTest test(points, options.eps);
    const std::vector<std::uint8_t> core = corePoints(grid, test, options, team);
    DisjointSets sets(core.size());
    joinCells(grid, test, core, sets, team);
    Clustering out = numberClusters(core, sets);
    for (std::size_t cell = 0; cell < grid.cells.size() && !team.stopped(); ++cell) {
        for (std::size_t i = grid.begin[cell]; i < grid.begin[cell + 1]; ++i) {
            const auto point = static_cast<std::size_t>(grid.members[i]);
            if (core[point])
                continue;
            int& label = out.labels[point];
            grid.around(cell, [&](std::size_t other) {
                for (std::size_t j = grid.begin[other]; j < grid.begin[other + 1]; ++j) {
                    const auto neighbor = static_cast<std::size_t>(grid.members[j]);
                    if (core[neighbor] && (label < 0 || out.labels[neighbor] < label) &&
                        test.near(grid.members[i], grid.members[j]))
                        label = out.labels[neighbor];
                }
            });
        }
    }
    return out;
}

// Every pair is compared: for many columns, where a grid does not help.
Clustering allPairsDbscan(const PointTable& points, const DbscanOptions& options, ThreadTeam& team)
{
    const DistanceTest test(points, options.eps);
    std::vector<std::uint8_t> core(static_cast<std::size_t>(points.rows), 0);
    team.forRanges(points.rows, kScanGrain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last && !team.stopped(); ++i) {
            double weight = 0;
            for (std::int64_t j = 0; j < points.rows; ++j)
                weight += test.near(i, j) ? weightOf(options, j) : 0;
            core[static_cast<std::size_t>(i)] = weight >= options.minSamples;
        }
    });
    DisjointSets sets(core.size());
    for (std::int64_t i = 0; i < points.rows && !team.stopped(); ++i) {
        for (std::int64_t j = i + 1; core[static_cast<std::size_t>(i)] && j < points.rows; ++j) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
            if (core[b] && sets.find(a) != sets.find(b) && test.near(i, j))
                sets.join(a, b);
        }
    }
    Clustering out = numberClusters(core, sets);
    team.forRanges(points.rows, kScanGrain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last && !team.stopped(); ++i) {
            int& label = out.labels[static_cast<std::size_t>(i)];
            for (std::int64_t j = 0; !core[static_cast<std::size_t>(i)] && j < points.rows; ++j) {
                const auto neighbor = static_cast<std::size_t>(j);
                if (core[neighbor] && (label < 0 || out.labels[neighbor] < label) && test.near(i, j))
                    label = out.labels[neighbor];
            }
        }
    });
    return out;
}

} // namespace

Result<Clustering> dbscan(const PointTable& points, const DbscanOptions& options, ThreadTeam& team)
{
    if (const Status status = checkDbscan(static_cast<std::size_t>(points.rows), options); !status)
        return status.error();
    if (points.values.size() != static_cast<std::size_t>(points.rows * points.columns))
        return badInput("dbscan", "needs rows x columns coordinates");
    Clustering out;
    PointGrid grid;
    if (points.columns >= 1 && points.columns <= kGridColumns && grid.build(points, options.eps))
        out = gridDbscan(grid, points, options, team);
    else
        out = allPairsDbscan(points, options, team);
    if (team.stopped())
        return Error{ErrorCode::Interrupted, "stopped", "dbscan"};
    countNoise(out);
    return out;
}

Result<std::vector<double>> kDistances(const PointTable& points, int k, ThreadTeam& team)
{
    if (k < 1 || k > points.rows)
        return badInput("k-distances", "k must be 1 to the number of points, which is " + std::to_string(points.rows));
    std::vector<double> out(static_cast<std::size_t>(points.rows));
    const PointTree tree(points);
    const bool done = team.forRanges(points.rows, kScanGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end && !team.stopped(); ++i)
            out[static_cast<std::size_t>(i)] = std::sqrt(tree.squaredDistanceToNearest(i, k));
    });
    if (!done)
        return Error{ErrorCode::Interrupted, "stopped", "k-distances"};
    std::sort(out.begin(), out.end());
    return out;
}

double suggestedEps(std::span<const double> ascendingKDistances)
{
    constexpr double kShare = 0.95, kFactor = 2, kDefault = 0.5;
    if (ascendingKDistances.empty())
        return kDefault;
    const auto count = static_cast<double>(ascendingKDistances.size());
    const auto at = static_cast<std::size_t>(std::max(0.0, std::ceil(kShare * count) - 1));
    const auto found = std::find_if(ascendingKDistances.begin() + static_cast<std::ptrdiff_t>(at),
                                    ascendingKDistances.end(), [](double distance) { return distance > 0; });
    return found == ascendingKDistances.end() ? kDefault : kFactor * *found;
}

} // namespace peakscope
