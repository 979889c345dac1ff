// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/fuzzy_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr double kSmoothTolerance = 1e-5; // umap-learn's SMOOTH_K_TOLERANCE
constexpr double kLeastScale = 1e-3;      // MIN_K_DIST_SCALE
constexpr int kBisections = 64;
constexpr std::int64_t kGraphRowGrain = 256;

double nearestDistance(std::span<const float> distances, double localConnectivity)
{
    const auto first = static_cast<std::size_t>(
        std::find_if(distances.begin(), distances.end(), [](float d) { return d > 0; }) - distances.begin());
    const std::span<const float> positive = distances.subspan(first);
    if (positive.empty())
        return 0;
    if (static_cast<double>(positive.size()) < localConnectivity)
        return positive.back();
    const auto whole = static_cast<std::size_t>(localConnectivity);
    const double part = localConnectivity - static_cast<double>(whole);
    if (whole == 0)
        return part * positive[0];
    double rho = positive[whole - 1];
    if (part > kSmoothTolerance && whole < positive.size())
        rho += part * (static_cast<double>(positive[whole]) - positive[whole - 1]);
    return rho;
}

// Bisection for the sigma with which the memberships sum to `target`. In single precision and with the reciprocal that
// umap-learn's compiled code takes, so that it ends at the same step.
double smoothScale(std::span<const float> distances, float rho, double target)
{
    float low = 0, high = std::numeric_limits<float>::infinity(), middle = 1;
    for (int i = 0; i < kBisections; ++i) {
        const float inverse = 1.0f / middle;
        float sum = 0;
        for (std::size_t j = 1; j < distances.size(); ++j) {
            const float beyond = distances[j] - rho;
            sum += beyond > 0 ? std::exp(-(beyond * inverse)) : 1.0f;
        }
        if (std::abs(sum - target) < kSmoothTolerance)
            break;
        if (sum > target) {
            high = middle;
            middle = (low + high) / 2;
        } else {
            low = middle;
            middle = std::isinf(high) ? middle * 2 : (low + high) / 2;
        }
    }
    return middle;
}

// Of what is finite: edges that were cut have no distance.
double meanOf(std::span<const float> values)
{
    double sum = 0, count = 0;
    for (const float value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

// The distances before the first edge that was cut; they are ascending.
std::span<const float> uncut(std::span<const float> distances)
{
    const auto end = std::find_if(distances.begin(), distances.end(), [](float d) { return !std::isfinite(d); });
    return distances.first(static_cast<std::size_t>(end - distances.begin()));
}

// The directed memberships with the columns of each row ascending, the row itself left out.
SparseGraph directedGraph(const NeighborTable& table, const LocalScale& scale, ThreadTeam& team)
{
    SparseGraph out;
    out.rows = table.rows;
    const std::int64_t width = table.neighbors;
    std::vector<std::int32_t> counts(static_cast<std::size_t>(table.rows), 0);
    std::vector<std::int32_t> targets(table.index.size());
    std::vector<float> weights(table.index.size());
    team.forRanges(table.rows, kGraphRowGrain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::pair<std::int32_t, float>> entries;
        for (std::int64_t row = begin; row < end; ++row) {
            const auto r = static_cast<std::size_t>(row);
            const auto index = table.indexOf(row);
            const auto distance = table.distanceOf(row);
            entries.clear();
            for (std::size_t j = 0; j < index.size(); ++j) {
                if (index[j] == row || index[j] < 0)
                    continue;
                const double beyond = distance[j] - scale.rho[r];
                const double weight = beyond <= 0 || scale.sigma[r] == 0 ? 1.0 : std::exp(-beyond / scale.sigma[r]);
                entries.emplace_back(index[j], static_cast<float>(weight));
            }
            std::sort(entries.begin(), entries.end());
            counts[r] = static_cast<std::int32_t>(entries.size());
            for (std::size_t j = 0; j < entries.size(); ++j) {
                targets[r * static_cast<std::size_t>(width) + j] = entries[j].first;
                weights[r * static_cast<std::size_t>(width) + j] = entries[j].second;
            }
        }
    });
    out.begin.assign(static_cast<std::size_t>(table.rows) + 1, 0);
    std::size_t at = 0;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        for (std::size_t j = 0; j < static_cast<std::size_t>(counts[row]); ++j, ++at) {
            targets[at] = targets[row * static_cast<std::size_t>(width) + j];
            weights[at] = weights[row * static_cast<std::size_t>(width) + j];
        }
        out.begin[row + 1] = static_cast<std::int64_t>(at);
    }
    targets.resize(at);
    weights.resize(at);
    out.target = std::move(targets);
    out.weight = std::move(weights);
    return out;
}

// Rows of the transposed matrix come out ascending because the rows are gone through in order.
SparseGraph transposed(const SparseGraph& graph)
{
    SparseGraph out;
    out.rows = graph.rows;
    out.begin.assign(graph.begin.size(), 0);
    for (const std::int32_t target : graph.target)
        ++out.begin[static_cast<std::size_t>(target) + 1];
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.target.resize(graph.target.size());
    out.weight.resize(graph.weight.size());
    std::vector<std::int64_t> at(out.begin.begin(), out.begin.end() - 1);
    for (std::size_t row = 0; row < static_cast<std::size_t>(graph.rows); ++row) {
        for (auto i = static_cast<std::size_t>(graph.begin[row]); i < static_cast<std::size_t>(graph.begin[row + 1]);
             ++i) {
            const auto to = static_cast<std::size_t>(at[static_cast<std::size_t>(graph.target[i])]++);
            out.target[to] = static_cast<std::int32_t>(row);
            out.weight[to] = graph.weight[i];
        }
    }
    return out;
}

// Calls add(column, a, b) for every column that either row has, ascending; an absent entry is 0.
template <typename Add>
void mergeRows(const SparseGraph& left, const SparseGraph& right, std::size_t row, Add add)
{
    auto i = static_cast<std::size_t>(left.begin[row]), j = static_cast<std::size_t>(right.begin[row]);
    const auto iEnd = static_cast<std::size_t>(left.begin[row + 1]);
    const auto jEnd = static_cast<std::size_t>(right.begin[row + 1]);
    while (i < iEnd || j < jEnd) {
        const bool fromLeft = i < iEnd && (j >= jEnd || left.target[i] <= right.target[j]);
        const bool fromRight = j < jEnd && (i >= iEnd || right.target[j] <= left.target[i]);
        const std::int32_t column = fromLeft ? left.target[i] : right.target[j];
        add(column, fromLeft ? left.weight[i] : 0.0f, fromRight ? right.weight[j] : 0.0f);
        i += fromLeft;
        j += fromRight;
    }
}

} // namespace

LocalScale localScale(const NeighborTable& table, double localConnectivity, ThreadTeam& team)
{
    LocalScale out;
    out.sigma.resize(static_cast<std::size_t>(table.rows));
    out.rho.resize(out.sigma.size());
    const double target = std::log2(static_cast<double>(table.neighbors));
    const double meanOfAll = meanOf(table.distance);
    team.forRanges(table.rows, kGraphRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const auto r = static_cast<std::size_t>(row);
            const auto distances = uncut(table.distanceOf(row));
            out.rho[r] = static_cast<float>(nearestDistance(distances, localConnectivity));
            const double sigma = smoothScale(distances, out.rho[r], target);
            const double least = kLeastScale * (out.rho[r] > 0 ? meanOf(distances) : meanOfAll);
            out.sigma[r] = static_cast<float>(std::max(sigma, least));
        }
    });
    return out;
}

SparseGraph fuzzyGraph(const NeighborTable& table, const LocalScale& scale, double mix, ThreadTeam& team)
{
    const SparseGraph forward = directedGraph(table, scale, team);
    const SparseGraph backward = transposed(forward);
    SparseGraph out;
    out.rows = table.rows;
    out.begin.assign(forward.begin.size(), 0);
    const auto joined = [mix](float a, float b) {
        const double product = static_cast<double>(a) * b;
        return static_cast<float>(mix * (static_cast<double>(a) + b - product) + (1 - mix) * product);
    };
    team.forRanges(out.rows, kGraphRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
            mergeRows(forward, backward, row,
                      [&](std::int32_t, float a, float b) { out.begin[row + 1] += joined(a, b) > 0; });
        }
    });
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.target.resize(static_cast<std::size_t>(out.begin.back()));
    out.weight.resize(out.target.size());
    team.forRanges(out.rows, kGraphRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
            auto at = static_cast<std::size_t>(out.begin[row]);
            mergeRows(forward, backward, row, [&](std::int32_t column, float a, float b) {
                if (joined(a, b) > 0) {
                    out.target[at] = column;
                    out.weight[at++] = joined(a, b);
                }
            });
        }
    });
    return out;
}

SparseGraph pruneGraph(const SparseGraph& graph, int epochs)
{
    SparseGraph out;
    out.rows = graph.rows;
    out.begin.assign(graph.begin.size(), 0);
    const float heaviest = graph.weight.empty() ? 0 : *std::max_element(graph.weight.begin(), graph.weight.end());
    const float least = heaviest / static_cast<float>(std::max(epochs, 1));
    const auto kept = std::count_if(graph.weight.begin(), graph.weight.end(), [&](float w) { return w >= least; });
    out.target.reserve(static_cast<std::size_t>(kept));
    out.weight.reserve(static_cast<std::size_t>(kept));
    for (std::size_t row = 0; row < static_cast<std::size_t>(graph.rows); ++row) {
        for (auto i = static_cast<std::size_t>(graph.begin[row]); i < static_cast<std::size_t>(graph.begin[row + 1]);
             ++i) {
            if (graph.weight[i] >= least) {
                out.target.push_back(graph.target[i]);
                out.weight.push_back(graph.weight[i]);
            }
        }
        out.begin[row + 1] = static_cast<std::int64_t>(out.target.size());
    }
    return out;
}

GraphParts connectedParts(const SparseGraph& graph)
{
    GraphParts parts;
    parts.of.assign(static_cast<std::size_t>(graph.rows), -1);
    std::vector<std::int32_t> open;
    for (std::size_t first = 0; first < parts.of.size(); ++first) {
        if (parts.of[first] >= 0)
            continue;
        parts.of[first] = parts.count;
        open.push_back(static_cast<std::int32_t>(first));
        while (!open.empty()) {
            const auto row = static_cast<std::size_t>(open.back());
            open.pop_back();
            for (std::int64_t i = graph.begin[row]; i < graph.begin[row + 1]; ++i) {
                const std::int32_t target = graph.target[static_cast<std::size_t>(i)];
                if (parts.of[static_cast<std::size_t>(target)] < 0) {
                    parts.of[static_cast<std::size_t>(target)] = parts.count;
                    open.push_back(target);
                }
            }
        }
        ++parts.count;
    }
    return parts;
}

// Levenberg-Marquardt in (ln a, b): a spans many powers of ten when spread is large.
CurveFit fitCurve(double spread, double minDist)
{
    constexpr int kPoints = 300;
    double x[kPoints], wanted[kPoints];
    for (int i = 0; i < kPoints; ++i) {
        x[i] = 3 * spread * i / (kPoints - 1);
        wanted[i] = x[i] < minDist ? 1.0 : std::exp(-(x[i] - minDist) / spread);
    }
    struct Normal {
        double squares = 0, aa = 0, ab = 0, bb = 0, ga = 0, gb = 0;
    };
    const auto normalEquations = [&](double logA, double b) {
        Normal n;
        for (int i = 0; i < kPoints; ++i) {
            // At x = 0 the curve is 1 whatever a and b are.
            const double logX = x[i] > 0 ? std::log(x[i]) : 0;
            const double z = x[i] > 0 ? std::exp(std::min(logA + 2 * b * logX, 700.0)) : 0;
            const double value = 1 / (1 + z), slope = -value * (1 - value);
            const double da = slope, db = slope * 2 * logX, r = wanted[i] - value;
            n.squares += r * r;
            n.aa += da * da;
            n.ab += da * db;
            n.bb += db * db;
            n.ga += da * r;
            n.gb += db * r;
        }
        return n;
    };
    // The curve passes 1/2 near minDist + spread ln 2, whence a good start for any scale.
    double b = 1, logA = -2 * std::log(minDist + spread * std::log(2.0));
    double damping = 1e-3;
    Normal now = normalEquations(logA, b);
    for (int step = 0; step < 500 && damping < 1e12; ++step) {
        const double aa = now.aa * (1 + damping), bb = now.bb * (1 + damping);
        const double determinant = aa * bb - now.ab * now.ab;
        if (!(determinant > 0))
            break;
        const double stepA = (now.ga * bb - now.gb * now.ab) / determinant;
        const double stepB = (now.gb * aa - now.ga * now.ab) / determinant;
        const Normal next = normalEquations(logA + stepA, b + stepB);
        if (!(next.squares <= now.squares)) {
            damping *= 4;
            continue;
        }
        logA += stepA;
        b += stepB;
        now = next;
        damping = std::max(damping / 4, 1e-12);
        if (std::abs(stepA) + std::abs(stepB) < 1e-12)
            break;
    }
    return {std::exp(logA), b};
}

} // namespace peakscope
