// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/unplaced_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace peakscope {
namespace {

constexpr std::size_t kMostNamed = 8;    // row numbers in a note
constexpr double kMostSearchWork = 5e10; // pairs times values compared again after an approximate search

bool hasEdge(const NeighborTable& table, std::int64_t row)
{
    const auto index = table.indexOf(row);
    return std::any_of(index.begin() + 1, index.end(), [](std::int32_t other) { return other >= 0; });
}

// Squared distances of unit vectors are rounded; all other maxima are sums of exact ones.
float cutDistance(const FeatureRows& features)
{
    constexpr float kRounded = 1e-6f;
    const bool rounded = features.metric == Metric::Cosine || features.metric == Metric::Correlation;
    return features.most * (rounded ? 1 - kRounded : 1);
}

std::vector<std::int64_t> rowsWithoutEdge(const NeighborTable& table)
{
    std::vector<bool> linked(static_cast<std::size_t>(table.rows), false);
    for (std::int64_t row = 0; row < table.rows; ++row) {
        const auto index = table.indexOf(row);
        for (std::size_t j = 1; j < index.size(); ++j) {
            if (index[j] >= 0)
                linked[static_cast<std::size_t>(row)] = linked[static_cast<std::size_t>(index[j])] = true;
        }
    }
    std::vector<std::int64_t> out;
    for (std::int64_t row = 0; row < table.rows; ++row) {
        if (!linked[static_cast<std::size_t>(row)])
            out.push_back(row);
    }
    return out;
}

// The nearest of all rows below the maximum, for rows that an approximate search found none of.
void searchAll(const FeatureRows& features, std::span<const std::int64_t> rows, float cut, ThreadTeam& team,
               NeighborTable& table)
{
    team.forRanges(static_cast<std::int64_t>(rows.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> distances(static_cast<std::size_t>(features.rows));
        std::vector<std::pair<float, std::int32_t>> near;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end) && !team.stopped(); ++i) {
            comparableDistances(features, rows[i], 0, features.rows, distances.data());
            near.clear();
            for (std::size_t other = 0; other < distances.size(); ++other) {
                const float distance = finishDistance(features.metric, distances[other]);
                if (distance < cut && static_cast<std::int64_t>(other) != rows[i])
                    near.emplace_back(distance, static_cast<std::int32_t>(other));
            }
            const std::size_t kept = std::min(near.size(), static_cast<std::size_t>(table.neighbors) - 1);
            std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(kept), near.end());
            const auto to = static_cast<std::size_t>(rows[i] * table.neighbors) + 1;
            for (std::size_t j = 0; j < kept; ++j) {
                table.distance[to + j] = near[j].first;
                table.index[to + j] = near[j].second;
            }
        }
    });
}

// "row 7", "rows 7, 8 and 9", "rows 1, 2, …, 8 and 12 more".
std::string rowWords(const std::vector<std::int64_t>& rows)
{
    std::string out = rows.size() == 1 ? "row " : "rows ";
    const std::size_t named = std::min(rows.size(), kMostNamed);
    for (std::size_t i = 0; i < named; ++i) {
        if (i > 0)
            out += i + 1 == rows.size() ? " and " : ", ";
        out += std::to_string(rows[i] + 1);
    }
    return named < rows.size() ? out + " and " + std::to_string(rows.size() - named) + " more" : out;
}

std::string numberWords(float number)
{
    return std::to_string(std::lround(number));
}

} // namespace

std::vector<std::int64_t> rowsWithout(std::int64_t rows, std::span<const std::int64_t> left)
{
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(rows) - left.size());
    auto next = left.begin();
    for (std::int64_t row = 0; row < rows; ++row) {
        if (next != left.end() && *next == row)
            ++next;
        else
            out.push_back(row);
    }
    return out;
}

FeatureRows selectRows(const FeatureRows& features, std::span<const std::int64_t> kept)
{
    FeatureRows out = features;
    out.rows = static_cast<std::int64_t>(kept.size());
    out.data.resize(static_cast<std::size_t>(out.rows * out.width));
    for (std::size_t i = 0; i < kept.size(); ++i)
        std::copy_n(features.row(kept[i]), features.width,
                    out.data.begin() + static_cast<std::ptrdiff_t>(i) * features.width);
    return out;
}

NeighborTable selectRows(const NeighborTable& table, std::span<const std::int64_t> kept)
{
    std::vector<std::int32_t> placeOf(static_cast<std::size_t>(table.rows), -1);
    for (std::size_t i = 0; i < kept.size(); ++i)
        placeOf[static_cast<std::size_t>(kept[i])] = static_cast<std::int32_t>(i);
    NeighborTable out;
    out.rows = static_cast<std::int64_t>(kept.size());
    out.neighbors = table.neighbors;
    out.exact = table.exact;
    for (const std::int64_t row : kept) {
        const auto index = table.indexOf(row);
        const auto distance = table.distanceOf(row);
        for (const std::int32_t other : index)
            out.index.push_back(other < 0 ? other : placeOf[static_cast<std::size_t>(other)]);
        out.distance.insert(out.distance.end(), distance.begin(), distance.end());
    }
    return out;
}

std::vector<std::int64_t> cutFarthestEdges(const FeatureRows& features, NeighborTable& table, ThreadTeam& team)
{
    if (!std::isfinite(features.most))
        return features.rows > 1 ? std::vector<std::int64_t>() : rowsWithoutEdge(table);
    const float cut = cutDistance(features);
    for (std::size_t i = 0; i < table.index.size(); ++i) {
        if (table.distance[i] >= cut) {
            table.index[i] = -1;
            table.distance[i] = std::numeric_limits<float>::infinity();
        }
    }
    std::vector<std::int64_t> alone;
    if (!table.exact) {
        for (std::int64_t row = 0; row < table.rows; ++row) {
            if (!hasEdge(table, row))
                alone.push_back(row);
        }
        const double pairs = static_cast<double>(features.rows) * static_cast<double>(features.columns);
        const auto most = static_cast<std::size_t>(kMostSearchWork / pairs);
        searchAll(features, std::span(alone).first(std::min(alone.size(), most)), cut, team, table);
    }
    return rowsWithoutEdge(table);
}

std::vector<std::string> unplacedNotes(const UnplacedRows& unplaced, const FeatureRows& features)
{
    std::vector<std::string> notes;
    const auto add = [&](const std::vector<std::int64_t>& rows, const std::string& one, const std::string& many) {
        if (!rows.empty())
            notes.push_back(rowWords(rows) + (rows.size() == 1 ? one : many) +
                            ": no place in the embedding, cluster -1, not scored");
    };
    const std::string what = features.metric == Metric::Correlation ? "constant" : "all zeros";
    add(unplaced.withoutDirection, " is " + what + " and has no direction", " are " + what + " and have no direction");
    const std::string far = " at the maximum " + std::string(name(features.metric)) + " distance, " +
                            numberWords(features.most) + ", from every other row";
    add(unplaced.withoutEdge, " is" + far, " are" + far);
    return notes;
}

Error nothingPlaced(const UnplacedRows& unplaced, std::int64_t rows, Metric metric)
{
    const std::string metricName(name(metric));
    std::string why;
    if (unplaced.withoutEdge.empty())
        why = std::string("every row is ") + (metric == Metric::Correlation ? "constant" : "all zeros") +
              " and has no direction under " + metricName;
    else if (unplaced.withoutDirection.empty())
        why = "every row is at the maximum " + metricName + " distance from every other";
    else
        why = std::to_string(unplaced.withoutDirection.size()) + " of " + std::to_string(rows) +
              " rows have no direction under " + metricName +
              ", and no two others are nearer than its maximum distance";
    return badInput("metric", why + ", so nothing can be embedded; choose another one, such as euclidean");
}

} // namespace peakscope
