// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/clusters/cluster_scores.h"

#include "core/analysis/neighbors/random_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace peakscope {
namespace {

constexpr std::uint64_t kSampleSeed = 401;
constexpr std::int64_t kPointGrain = 16;

// All points, or one drawn from each of `most` equal stretches.
std::vector<std::int64_t> samplePoints(std::int64_t count, std::int64_t most)
{
    std::vector<std::int64_t> out;
    if (most <= 0 || count <= most) {
        out.resize(static_cast<std::size_t>(count));
        std::iota(out.begin(), out.end(), 0);
        return out;
    }
    for (std::int64_t i = 0; i < most; ++i) {
        const std::int64_t begin = i * count / most, end = (i + 1) * count / most;
        RandomStream random(kSampleSeed, 0, static_cast<std::uint64_t>(i));
        out.push_back(begin + random.below(static_cast<std::uint32_t>(end - begin)));
    }
    return out;
}

// The scored points in the order of their labels, each label's together.
struct LabelledPoints {
    std::vector<std::int64_t> order;  // of the table's points
    std::vector<std::size_t> begin;   // where each label begins, and the end
    std::vector<std::size_t> labelOf; // by place in `order`
    std::vector<std::size_t> placeOf; // by point; the end of `order` for what is left out
};

Result<LabelledPoints> groupByLabel(std::span<const int> labels, NoisePoints noise)
{
    std::map<int, std::vector<std::int64_t>> groups;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] != -1 || noise == NoisePoints::AsCluster)
            groups[labels[i]].push_back(static_cast<std::int64_t>(i));
    }
    LabelledPoints out;
    for (const auto& [label, members] : groups) {
        out.begin.push_back(out.order.size());
        out.labelOf.insert(out.labelOf.end(), members.size(), out.begin.size() - 1);
        out.order.insert(out.order.end(), members.begin(), members.end());
    }
    out.begin.push_back(out.order.size());
    if (out.order.size() < 3)
        return badInput("silhouette", "it needs three points or more in clusters; there " +
                                          std::string(out.order.size() == 1 ? "is " : "are ") +
                                          (out.order.empty() ? "none" : std::to_string(out.order.size())));
    if (groups.size() < 2 || groups.size() + 1 > out.order.size())
        return badInput("silhouette", "the number of labels is " + std::to_string(groups.size()) +
                                          "; it must be 2 to the number of points less 1, which is " +
                                          std::to_string(static_cast<std::int64_t>(out.order.size()) - 1));
    out.placeOf.assign(labels.size(), out.order.size());
    for (std::size_t place = 0; place < out.order.size(); ++place)
        out.placeOf[static_cast<std::size_t>(out.order[place])] = place;
    return out;
}

// Eight partial sums in a fixed order: quicker than one, and the same everywhere.
double sumOf(const double* values, std::size_t count)
{
    double lanes[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] += values[i + lane];
    }
    for (; i < count; ++i)
        lanes[i % 8] += values[i];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// From the distances of one point to all, in the order of `grouped`.
double silhouetteOfPoint(const LabelledPoints& grouped, std::size_t place, const double* distances)
{
    const std::size_t own = grouped.labelOf[place];
    if (grouped.begin[own + 1] - grouped.begin[own] == 1)
        return 0;
    double a = 0, b = std::numeric_limits<double>::infinity();
    for (std::size_t label = 0; label + 1 < grouped.begin.size(); ++label) {
        const std::size_t size = grouped.begin[label + 1] - grouped.begin[label];
        const double sum = sumOf(distances + grouped.begin[label], size);
        if (label == own)
            a = sum / static_cast<double>(size - 1);
        else
            b = std::min(b, sum / static_cast<double>(size));
    }
    const double larger = std::max(a, b);
    return larger > 0 ? (b - a) / larger : 0;
}

// fill(point, distances): to all points in the order of `grouped`.
template <typename Fill>
Result<SilhouetteScore> scorePoints(const LabelledPoints& grouped, ThreadTeam& team, std::int64_t mostPoints, Fill fill)
{
    SilhouetteScore out;
    out.labels = static_cast<std::int64_t>(grouped.begin.size()) - 1;
    std::vector<std::int64_t> remaining = grouped.order;
    std::sort(remaining.begin(), remaining.end());
    for (const std::int64_t i : samplePoints(static_cast<std::int64_t>(remaining.size()), mostPoints))
        out.points.push_back(remaining[static_cast<std::size_t>(i)]);
    out.sampled = out.points.size() < remaining.size();
    out.values.resize(out.points.size());
    const bool done = team.forRanges(
        static_cast<std::int64_t>(out.points.size()), kPointGrain, [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> distances(grouped.order.size());
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end) && !team.stopped(); ++i) {
                fill(out.points[i], distances.data());
                out.values[i] = silhouetteOfPoint(grouped, grouped.placeOf[static_cast<std::size_t>(out.points[i])],
                                                  distances.data());
            }
        });
    if (!done)
        return Error{ErrorCode::Interrupted, "stopped", "silhouette"};
    out.mean = sumOf(out.values.data(), out.values.size()) / static_cast<double>(out.values.size());
    return out;
}

// The k points nearest to one in the embedding, nearest first, equal distances by index.
std::vector<std::int64_t> nearestInEmbedding(std::span<const float> embedding, int dimensions, std::int64_t point,
                                             int k)
{
    std::vector<std::pair<double, std::int64_t>> nearest;
    const auto rows = static_cast<std::int64_t>(embedding.size()) / dimensions;
    const float* own = embedding.data() + point * dimensions;
    double worst = std::numeric_limits<double>::infinity();
    for (std::int64_t other = 0; other < rows; ++other) {
        double squares = 0;
        for (int d = 0; d < dimensions; ++d) {
            const double difference =
                static_cast<double>(own[d]) - embedding[static_cast<std::size_t>(other * dimensions + d)];
            squares += difference * difference;
        }
        if (!(squares < worst) || other == point)
            continue;
        nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), std::pair(squares, other)), {squares, other});
        if (static_cast<int>(nearest.size()) > k)
            nearest.pop_back();
        if (static_cast<int>(nearest.size()) == k)
            worst = nearest.back().first;
    }
    std::vector<std::int64_t> out;
    for (const auto& [squares, other] : nearest)
        out.push_back(other);
    return out;
}

// The place of `other` among the rows nearest to `point`, from 1; equal distances by index.
std::int64_t rankOf(const std::vector<float>& distances, std::int64_t point, std::int64_t other)
{
    const float own = distances[static_cast<std::size_t>(other)];
    const auto rows = static_cast<std::int64_t>(distances.size());
    std::int32_t nearer = 0;
    for (std::int64_t i = 0; i < other; ++i)
        nearer += distances[static_cast<std::size_t>(i)] <= own;
    for (std::int64_t i = other; i < rows; ++i)
        nearer += distances[static_cast<std::size_t>(i)] < own;
    const float self = distances[static_cast<std::size_t>(point)];
    const bool selfCounted = point < other ? self <= own : self < own;
    return nearer + 1 - (selfCounted ? 1 : 0);
}

} // namespace

Result<SilhouetteScore> silhouette(const PointTable& points, std::span<const int> labels, NoisePoints noise,
                                   ThreadTeam& team, std::int64_t mostPoints)
{
    if (labels.size() != static_cast<std::size_t>(points.rows))
        return badInput("silhouette", "needs one label per point");
    const auto grouped = groupByLabel(labels, noise);
    if (!grouped)
        return grouped.error();
    const std::size_t count = grouped->order.size(), columns = static_cast<std::size_t>(points.columns);
    std::vector<double> byColumn(count * columns); // column by column, in the order of the labels
    for (std::size_t place = 0; place < count; ++place) {
        for (std::size_t column = 0; column < columns; ++column)
            byColumn[column * count + place] =
                points.values[static_cast<std::size_t>(grouped->order[place]) * columns + column];
    }
    return scorePoints(*grouped, team, mostPoints, [&](std::int64_t point, double* distances) {
        std::fill_n(distances, count, 0.0);
        for (std::size_t column = 0; column < columns; ++column) {
            const double own = points.values[static_cast<std::size_t>(point) * columns + column];
            const double* other = byColumn.data() + column * count;
            for (std::size_t i = 0; i < count; ++i)
                distances[i] += (own - other[i]) * (own - other[i]);
        }
        for (std::size_t i = 0; i < count; ++i)
            distances[i] = std::sqrt(distances[i]);
    });
}

double adjustedRandIndex(std::span<const int> a, std::span<const int> b)
{
    std::map<int, double> inA, inB;
    std::map<std::pair<int, int>, double> inBoth;
    const std::size_t count = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < count; ++i) {
        ++inA[a[i]];
        ++inB[b[i]];
        ++inBoth[{a[i], b[i]}];
    }
    const auto pairs = [](double n) { return n * (n - 1) / 2; };
    const auto sumPairs = [&](const auto& groups) {
        double sum = 0;
        for (const auto& [key, size] : groups)
            sum += pairs(size);
        return sum;
    };
    const double together = sumPairs(inBoth), sumA = sumPairs(inA), sumB = sumPairs(inB);
    const double all = pairs(static_cast<double>(count));
    const double expected = all > 0 ? sumA * sumB / all : 0, most = (sumA + sumB) / 2;
    return most == expected ? 1.0 : (together - expected) / (most - expected);
}

Result<Trustworthiness> trustworthiness(const FeatureRows& features, std::span<const float> embedding, int dimensions,
                                        int neighbors, ThreadTeam& team, std::int64_t mostPoints)
{
    const std::int64_t rows = features.rows;
    if (embedding.size() != static_cast<std::size_t>(rows * dimensions))
        return badInput("trustworthiness", "needs one embedded point per row of features");
    if (neighbors < 1 || neighbors > (rows - 1) / 2)
        return badInput("trustworthiness", "the number of neighbours must be 1 to " + std::to_string((rows - 1) / 2) +
                                               " for " + std::to_string(rows) + " rows, not " +
                                               std::to_string(neighbors));
    const std::vector<std::int64_t> points = samplePoints(rows, mostPoints);
    std::vector<std::int64_t> penalty(points.size(), 0);
    const bool done = team.forRanges(
        static_cast<std::int64_t>(points.size()), kPointGrain, [&](std::int64_t begin, std::int64_t end) {
            std::vector<float> distances(static_cast<std::size_t>(rows));
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end) && !team.stopped(); ++i) {
                comparableDistances(features, points[i], 0, rows, distances.data());
                for (const std::int64_t other : nearestInEmbedding(embedding, dimensions, points[i], neighbors))
                    penalty[i] += std::max<std::int64_t>(0, rankOf(distances, points[i], other) - neighbors);
            }
        });
    if (!done)
        return Error{ErrorCode::Interrupted, "stopped", "trustworthiness"};
    Trustworthiness out;
    out.neighbors = neighbors;
    out.points = static_cast<std::int64_t>(points.size());
    out.sampled = out.points < rows;
    const double sum = static_cast<double>(std::accumulate(penalty.begin(), penalty.end(), std::int64_t{0}));
    const double k = neighbors, n = static_cast<double>(rows);
    out.value = 1 - 2 / (static_cast<double>(out.points) * k * (2 * n - 3 * k - 1)) * sum;
    return out;
}

} // namespace peakscope
