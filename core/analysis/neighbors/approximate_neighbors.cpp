// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Approximate nearest rows: random projection trees (Dasgupta, Freund, "Random projection trees", STOC 2008) give a
// first list, neighbour descent (Dong, Charikar, Li, WWW 2011) improves it. Each pass reads the lists of the last one
// and every row writes only its own list, so the answer is the same for any number of threads; graph indexes that
// insert rows from several threads (HNSW) are not.
#include "core/analysis/neighbors/neighbors.h"
#include "core/analysis/neighbors/random_stream.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr int kTrees = 8;
constexpr std::int64_t kLeafRows = 48;
constexpr int kMostPasses = 12;
constexpr int kLeastList = 20;       // lists shorter than this do not find their way
constexpr double kQuietShare = 0.02; // changed entries of a pass below which it was the last
constexpr std::int64_t kRowGrain = 64;
constexpr std::uint64_t kTreePurpose = 101;

// The rows in the order of a tree's leaves, and where each leaf begins.
struct ProjectionTree {
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> leafOf;
    std::vector<std::int64_t> leafBegin;
};

// Splits a range by which of two of its rows is nearer (in the prepared coordinates, whatever the metric); a range that
// this does not split well (duplicates) is cut in half as it lies.
std::int64_t splitRange(const FeatureRows& features, std::int32_t* rows, std::int64_t count, RandomStream& random,
                        std::vector<float>& side)
{
    const float* a = features.row(rows[random.below(static_cast<std::uint32_t>(count))]);
    const float* b = features.row(rows[random.below(static_cast<std::uint32_t>(count))]);
    std::vector<float> normal(static_cast<std::size_t>(features.width));
    float offset = 0;
    for (std::size_t i = 0; i < normal.size(); ++i) {
        normal[i] = a[i] - b[i];
        offset += normal[i] * (a[i] + b[i]) / 2;
    }
    side.resize(static_cast<std::size_t>(count));
    std::int64_t left = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const float* row = features.row(rows[i]);
        float sums[4] = {};
        for (std::size_t v = 0; v < normal.size(); v += 4) {
            for (std::size_t lane = 0; lane < 4; ++lane)
                sums[lane] += row[v + lane] * normal[v + lane];
        }
        side[static_cast<std::size_t>(i)] = (sums[0] + sums[1]) + (sums[2] + sums[3]) - offset;
        left += side[static_cast<std::size_t>(i)] > 0;
    }
    if (left < count / 16 || left > count - count / 16)
        return count / 2;
    std::vector<std::int32_t> right;
    right.reserve(static_cast<std::size_t>(count - left));
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (side[static_cast<std::size_t>(i)] > 0)
            rows[at++] = rows[i];
        else
            right.push_back(rows[i]);
    }
    std::copy(right.begin(), right.end(), rows + at);
    return left;
}

ProjectionTree buildTree(const FeatureRows& features, std::uint64_t seed, std::int64_t number, const ThreadTeam& team)
{
    ProjectionTree tree;
    tree.order.resize(static_cast<std::size_t>(features.rows));
    tree.leafOf.resize(tree.order.size());
    std::iota(tree.order.begin(), tree.order.end(), 0);
    RandomStream random(seed, kTreePurpose, static_cast<std::uint64_t>(number));
    // A tree of duplicates starts in an order of its own, so that halves cut as they lie differ between trees.
    for (std::size_t i = tree.order.size(); i > 1; --i)
        std::swap(tree.order[i - 1], tree.order[random.below(static_cast<std::uint32_t>(i))]);
    std::vector<float> side;
    std::vector<std::pair<std::int64_t, std::int64_t>> open = {{0, features.rows}};
    while (!open.empty() && !team.stopped()) {
        const auto [begin, end] = open.back();
        open.pop_back();
        if (end - begin <= kLeafRows) {
            for (std::int64_t i = begin; i < end; ++i)
                tree.leafOf[static_cast<std::size_t>(tree.order[static_cast<std::size_t>(i)])] =
                    static_cast<std::int32_t>(tree.leafBegin.size());
            tree.leafBegin.push_back(begin);
            continue;
        }
        const std::int64_t left = splitRange(features, tree.order.data() + begin, end - begin, random, side);
        open.emplace_back(begin + left, end); // the left part is taken first: leaves come in order
        open.emplace_back(begin, begin + left);
    }
    tree.leafBegin.push_back(features.rows);
    return tree;
}

// One list per row, nearest first, without the row itself. `fresh`: found in the last pass.
struct NeighborLists {
    int size = 0;
    std::vector<std::int32_t> index;
    std::vector<float> distance;
    std::vector<std::uint8_t> fresh;

    NeighborLists(std::int64_t rows, int listSize) : size(listSize)
    {
        const auto cells = static_cast<std::size_t>(rows * listSize);
        index.assign(cells, -1);
        distance.assign(cells, std::numeric_limits<float>::infinity());
        fresh.assign(cells, 0);
    }

    bool insert(std::int64_t row, float value, std::int32_t other)
    {
        const auto first = static_cast<std::size_t>(row * size);
        std::size_t at = first + static_cast<std::size_t>(size) - 1;
        const auto before = [&](std::size_t i) {
            return value < distance[i] || (value == distance[i] && other < index[i]);
        };
        if (!before(at))
            return false;
        for (; at > first && before(at - 1); --at) {
            distance[at] = distance[at - 1];
            index[at] = index[at - 1];
            fresh[at] = fresh[at - 1];
        }
        distance[at] = value;
        index[at] = other;
        fresh[at] = 1;
        return true;
    }
};

// Rows seen by one row's search, each once.
class SeenRows
{
public:
    void clear(std::size_t expected)
    {
        std::size_t slots = 256;
        while (slots < 4 * expected)
            slots *= 2;
        m_slots.assign(slots, -1);
        m_rows.clear();
    }
    bool add(std::int32_t row)
    {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = static_cast<std::uint32_t>(row) * 2654435769U >> 7 & mask;
        for (; m_slots[at] >= 0; at = (at + 1) & mask) {
            if (m_slots[at] == row)
                return false;
        }
        m_slots[at] = row;
        return true;
    }
    void offer(std::int32_t row)
    {
        if (add(row))
            m_rows.push_back(row);
    }
    const std::vector<std::int32_t>& rows() const { return m_rows; }

private:
    std::vector<std::int32_t> m_slots;
    std::vector<std::int32_t> m_rows;
};

void listsFromTrees(const FeatureRows& features, const std::vector<ProjectionTree>& trees, ThreadTeam& team,
                    NeighborLists& lists)
{
    team.forRanges(features.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        SeenRows seen;
        std::vector<float> distances;
        for (std::int64_t row = begin; row < end; ++row) {
            seen.clear(trees.size() * kLeafRows);
            seen.add(static_cast<std::int32_t>(row));
            for (const ProjectionTree& tree : trees) {
                const auto leaf = static_cast<std::size_t>(tree.leafOf[static_cast<std::size_t>(row)]);
                for (std::int64_t i = tree.leafBegin[leaf]; i < tree.leafBegin[leaf + 1]; ++i)
                    seen.offer(tree.order[static_cast<std::size_t>(i)]);
            }
            distances.resize(seen.rows().size());
            comparableDistances(features, row, seen.rows(), distances.data());
            for (std::size_t i = 0; i < distances.size(); ++i)
                lists.insert(row, distances[i], seen.rows()[i]);
        }
    });
}

// For each row those that have it in their lists. visitAround takes evenly spread ones where there are many: more cost
// time and find little that the lists themselves don't.
struct ReverseLists {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> row;
    std::vector<std::uint8_t> fresh;
};

ReverseLists reverseOf(const NeighborLists& lists, std::int64_t rows)
{
    std::vector<std::int64_t> at(static_cast<std::size_t>(rows) + 1, 0);
    for (const std::int32_t other : lists.index) {
        if (other >= 0)
            ++at[static_cast<std::size_t>(other) + 1];
    }
    std::partial_sum(at.begin(), at.end(), at.begin());
    ReverseLists out;
    out.begin = at;
    out.row.resize(static_cast<std::size_t>(at.back()));
    out.fresh.resize(out.row.size());
    for (std::size_t cell = 0; cell < lists.index.size(); ++cell) {
        if (lists.index[cell] < 0)
            continue;
        const auto to = static_cast<std::size_t>(at[static_cast<std::size_t>(lists.index[cell])]++);
        out.row[to] = static_cast<std::int32_t>(cell / static_cast<std::size_t>(lists.size));
        out.fresh[to] = lists.fresh[cell];
    }
    return out;
}

// Calls visit(neighbour, fresh) for a row's list and for those that list it.
template <typename Visit>
void visitAround(const NeighborLists& lists, const ReverseLists& reverse, std::int64_t row, Visit visit)
{
    for (auto i = static_cast<std::size_t>(row * lists.size); i < static_cast<std::size_t>((row + 1) * lists.size);
         ++i) {
        if (lists.index[i] >= 0)
            visit(lists.index[i], lists.fresh[i] != 0);
    }
    const std::int64_t begin = reverse.begin[static_cast<std::size_t>(row)];
    const std::int64_t count = reverse.begin[static_cast<std::size_t>(row) + 1] - begin;
    const std::int64_t kept = std::min<std::int64_t>(count, lists.size * 2 / 5);
    for (std::int64_t i = 0; i < kept; ++i) {
        const auto at = static_cast<std::size_t>(begin + i * count / kept);
        visit(reverse.row[at], reverse.fresh[at] != 0);
    }
}

// One pass of neighbour descent: rows two steps away, at least one of the steps being new. Returns how many entries
// changed.
std::int64_t descend(const FeatureRows& features, const NeighborLists& old, ThreadTeam& team, NeighborLists& lists)
{
    const ReverseLists reverse = reverseOf(old, features.rows);
    std::fill(lists.fresh.begin(), lists.fresh.end(), std::uint8_t{0});
    std::atomic<std::int64_t> changed{0};
    team.forRanges(features.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        SeenRows seen;
        std::vector<float> distances;
        std::int64_t inserted = 0;
        const std::size_t most = 4 * static_cast<std::size_t>(old.size) * static_cast<std::size_t>(old.size);
        for (std::int64_t row = begin; row < end && !team.stopped(); ++row) {
            seen.clear(std::min<std::size_t>(most, 1024));
            seen.add(static_cast<std::int32_t>(row));
            for (auto i = static_cast<std::size_t>(row * old.size); i < static_cast<std::size_t>((row + 1) * old.size);
                 ++i) {
                if (old.index[i] >= 0)
                    seen.add(old.index[i]);
            }
            visitAround(old, reverse, row, [&](std::int32_t middle, bool middleFresh) {
                visitAround(old, reverse, middle, [&](std::int32_t other, bool otherFresh) {
                    if (middleFresh || otherFresh)
                        seen.offer(other);
                });
                if (middleFresh)
                    seen.offer(middle);
            });
            distances.resize(seen.rows().size());
            comparableDistances(features, row, seen.rows(), distances.data());
            for (std::size_t i = 0; i < distances.size(); ++i)
                inserted += lists.insert(row, distances[i], seen.rows()[i]);
        }
        changed += inserted;
    });
    return changed;
}

} // namespace

bool approximateNeighbors(const FeatureRows& features, std::uint64_t seed, ThreadTeam& team, NeighborTable& table)
{
    const int others = table.neighbors - 1;
    NeighborLists lists(features.rows,
                        static_cast<int>(std::min<std::int64_t>(std::max(others, kLeastList), features.rows - 1)));
    {
        std::vector<ProjectionTree> trees(kTrees);
        team.forChunks(kTrees, [&](std::int64_t number) {
            trees[static_cast<std::size_t>(number)] = buildTree(features, seed, number, team);
        });
        if (team.stopped())
            return false;
        listsFromTrees(features, trees, team, lists);
    }
    const auto quiet = static_cast<std::int64_t>(kQuietShare * static_cast<double>(lists.index.size()));
    for (int pass = 0; pass < kMostPasses && !team.stopped(); ++pass) {
        const NeighborLists old = lists;
        if (descend(features, old, team, lists) <= quiet)
            break;
    }
    for (std::int64_t row = 0; row < features.rows; ++row) {
        const auto to = static_cast<std::size_t>(row * table.neighbors),
                   from = static_cast<std::size_t>(row * lists.size);
        table.index[to] = static_cast<std::int32_t>(row);
        table.distance[to] = 0;
        std::copy_n(lists.index.begin() + static_cast<std::ptrdiff_t>(from), others,
                    table.index.begin() + static_cast<std::ptrdiff_t>(to) + 1);
        std::copy_n(lists.distance.begin() + static_cast<std::ptrdiff_t>(from), others,
                    table.distance.begin() + static_cast<std::ptrdiff_t>(to) + 1);
    }
    return !team.stopped();
}

} // namespace peakscope
