// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/start_layout.h"

#include "core/analysis/embedding/eigen_subspace.h"
#include "core/analysis/neighbors/random_stream.h"

#include <cmath>
#include <limits>

namespace peakscope {
namespace {

constexpr std::uint64_t kJitterPurpose = 201, kRandomPurpose = 202, kPartPurpose = 203;
constexpr int kDenseRows = 96;          // up to here all eigenpairs are computed
constexpr double kUsableResidual = 300; // times the bound: still a better start than principal components

// Eigenvectors are found up to their sign: the entry furthest from 0 becomes positive.
void fixSigns(std::vector<double>& layout, std::int64_t rows, int dimensions)
{
    for (int d = 0; d < dimensions; ++d) {
        double furthest = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            const double value = layout[static_cast<std::size_t>(row * dimensions + d)];
            if (std::abs(value) > std::abs(furthest) * (1 + 1e-9))
                furthest = value;
        }
        for (std::int64_t row = 0; furthest < 0 && row < rows; ++row)
            layout[static_cast<std::size_t>(row * dimensions + d)] *= -1;
    }
}

double largestMagnitude(const std::vector<double>& layout)
{
    double largest = 0;
    for (const double value : layout)
        largest = std::max(largest, std::abs(value));
    return largest;
}

// D^-1/2 W D^-1/2 of a graph without isolated rows.
struct NormalisedGraph {
    const SparseGraph& graph;
    std::vector<double> rootDegree;
    std::vector<float> weight;

    explicit NormalisedGraph(const SparseGraph& source) : graph(source), weight(source.weight.size())
    {
        rootDegree.resize(static_cast<std::size_t>(graph.rows));
        for (std::size_t row = 0; row < rootDegree.size(); ++row) {
            double degree = 0;
            for (auto i = static_cast<std::size_t>(graph.begin[row]);
                 i < static_cast<std::size_t>(graph.begin[row + 1]); ++i)
                degree += graph.weight[i];
            rootDegree[row] = std::sqrt(degree);
        }
        for (std::size_t row = 0; row < rootDegree.size(); ++row) {
            for (auto i = static_cast<std::size_t>(graph.begin[row]);
                 i < static_cast<std::size_t>(graph.begin[row + 1]); ++i)
                weight[i] = static_cast<float>(graph.weight[i] / rootDegree[row] /
                                               rootDegree[static_cast<std::size_t>(graph.target[i])]);
        }
    }

    template <int kBlock>
    void multiplyRows(const double* x, double* y, int block, std::int64_t begin, std::int64_t end) const
    {
        const int width = kBlock > 0 ? kBlock : block;
        for (std::int64_t row = begin; row < end; ++row) {
            double* out = y + row * width;
            double fixed[kBlock > 0 ? kBlock : 1] = {};
            double* sum = kBlock > 0 ? fixed : out;
            for (int j = 0; kBlock == 0 && j < width; ++j)
                out[j] = 0;
            for (std::int64_t i = graph.begin[static_cast<std::size_t>(row)];
                 i < graph.begin[static_cast<std::size_t>(row) + 1]; ++i) {
                const double* from = x + static_cast<std::int64_t>(graph.target[static_cast<std::size_t>(i)]) * width;
                const double w = weight[static_cast<std::size_t>(i)];
                for (int j = 0; j < width; ++j)
                    sum[j] += w * from[j];
            }
            for (int j = 0; kBlock > 0 && j < width; ++j)
                out[j] = sum[j];
        }
    }
};

// The trivial eigenvector: the roots of the degrees, of length 1.
std::vector<double> trivialVector(const NormalisedGraph& normalised)
{
    double squares = 0;
    for (const double value : normalised.rootDegree)
        squares += value * value;
    std::vector<double> out = normalised.rootDegree;
    for (double& value : out)
        value /= std::sqrt(squares);
    return out;
}

std::vector<double> denseSpectralLayout(const NormalisedGraph& normalised, int dimensions)
{
    const auto rows = static_cast<int>(normalised.graph.rows);
    const std::vector<double> trivial = trivialVector(normalised);
    std::vector<double> matrix(static_cast<std::size_t>(rows * rows), 0.0);
    for (int row = 0; row < rows; ++row) {
        for (std::int64_t i = normalised.graph.begin[static_cast<std::size_t>(row)];
             i < normalised.graph.begin[static_cast<std::size_t>(row) + 1]; ++i)
            matrix[static_cast<std::size_t>(row * rows + normalised.graph.target[static_cast<std::size_t>(i)])] =
                normalised.weight[static_cast<std::size_t>(i)];
        // The trivial vector moves from the top of the spectrum to below its bottom.
        for (int column = 0; column < rows; ++column)
            matrix[static_cast<std::size_t>(row * rows + column)] -=
                3 * trivial[static_cast<std::size_t>(row)] * trivial[static_cast<std::size_t>(column)];
    }
    const DenseEigen eigen = denseSymmetricEigen(std::move(matrix), rows);
    std::vector<double> out(static_cast<std::size_t>(rows * dimensions));
    for (int row = 0; row < rows; ++row) {
        for (int d = 0; d < dimensions; ++d)
            out[static_cast<std::size_t>(row * dimensions + d)] =
                eigen.vectors[static_cast<std::size_t>(row * rows + d)];
    }
    return out;
}

// The layout of one connected graph of more than dimensions + 1 rows; empty where it did not converge.
std::vector<double> spectralLayout(const SparseGraph& graph, int dimensions, std::uint64_t seed, ThreadTeam& team,
                                   std::string& problemText)
{
    const NormalisedGraph normalised(graph);
    std::vector<double> layout;
    if (graph.rows <= std::max(kDenseRows, 4 * (dimensions + 4))) {
        layout = denseSpectralLayout(normalised, dimensions);
    } else {
        SubspaceProblem problem;
        problem.size = graph.rows;
        problem.known = trivialVector(normalised);
        problem.apply = [&](const double* x, double* y, int block) {
            team.forRanges(graph.rows, 256, [&](std::int64_t begin, std::int64_t end) {
                if (block == 8)
                    normalised.multiplyRows<8>(x, y, block, begin, end);
                else
                    normalised.multiplyRows<0>(x, y, block, begin, end);
            });
        };
        SubspaceOptions options;
        options.wanted = dimensions;
        options.block = std::max(8, dimensions + 4);
        options.seed = seed;
        const SubspaceResult result = largestEigenpairs(problem, options, team);
        if (!result.converged && result.residual > kUsableResidual) {
            problemText = "the graph's eigenvectors did not converge in " + std::to_string(result.rounds) +
                          " rounds, so the start is the principal components";
            return {};
        }
        layout = result.vectors;
    }
    fixSigns(layout, graph.rows, dimensions);
    return layout;
}

// The rows of one part as a graph of their own; rowIn gives each row's place in its part.
SparseGraph partOf(const SparseGraph& graph, const std::vector<std::int32_t>& members,
                   const std::vector<std::int32_t>& rowIn)
{
    SparseGraph out;
    out.rows = static_cast<std::int64_t>(members.size());
    out.begin.push_back(0);
    for (const std::int32_t row : members) {
        for (std::int64_t i = graph.begin[static_cast<std::size_t>(row)];
             i < graph.begin[static_cast<std::size_t>(row) + 1]; ++i) {
            out.target.push_back(rowIn[static_cast<std::size_t>(graph.target[static_cast<std::size_t>(i)])]);
            out.weight.push_back(graph.weight[static_cast<std::size_t>(i)]);
        }
        out.begin.push_back(static_cast<std::int64_t>(out.target.size()));
    }
    return out;
}

// Where each part goes: on the axes for a few, by the principal components of their centres for many.
std::vector<double> partPlaces(const FeatureRows& features, const std::vector<std::vector<std::int32_t>>& members,
                               int dimensions, ThreadTeam& team)
{
    const auto parts = static_cast<std::int64_t>(members.size());
    std::vector<double> places(static_cast<std::size_t>(parts * dimensions), 0.0);
    if (parts <= 2 * dimensions) {
        for (std::int64_t part = 0; part < parts; ++part)
            places[static_cast<std::size_t>(part * dimensions + part % dimensions)] = part < dimensions ? 1 : -1;
        return places;
    }
    FeatureRows centres = features;
    centres.rows = parts;
    centres.data.assign(static_cast<std::size_t>(parts * features.width), 0.0f);
    std::vector<double> sum(static_cast<std::size_t>(features.width));
    for (std::size_t part = 0; part < members.size(); ++part) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (const std::int32_t row : members[part]) {
            for (std::size_t value = 0; value < sum.size(); ++value)
                sum[value] += features.row(row)[value];
        }
        for (std::size_t value = 0; value < sum.size(); ++value)
            centres.data[part * sum.size() + value] =
                static_cast<float>(sum[value] / static_cast<double>(members[part].size()));
    }
    places = principalComponents(centres, dimensions, team);
    fixSigns(places, parts, dimensions);
    const double largest = largestMagnitude(places);
    for (double& value : places)
        value = largest > 0 ? value / largest : 0;
    return places;
}

// Half the distance from a part's place to the nearest other place.
double roomAround(const std::vector<double>& places, std::size_t part, int dimensions)
{
    const auto width = static_cast<std::size_t>(dimensions);
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other * width < places.size(); ++other) {
        double squares = 0;
        for (std::size_t d = 0; d < width; ++d) {
            const double difference = places[part * width + d] - places[other * width + d];
            squares += difference * difference;
        }
        if (squares > 0)
            nearest = std::min(nearest, std::sqrt(squares));
    }
    return std::isfinite(nearest) ? nearest / 2 : 0.5;
}

// Several parts, each with its own layout around its place.
std::vector<double> layoutOfParts(const FeatureRows& features, const SparseGraph& graph, const GraphParts& parts,
                                  int dimensions, std::uint64_t seed, ThreadTeam& team, std::string& problem)
{
    std::vector<std::vector<std::int32_t>> members(static_cast<std::size_t>(parts.count));
    std::vector<std::int32_t> rowIn(static_cast<std::size_t>(graph.rows));
    for (std::size_t row = 0; row < rowIn.size(); ++row) {
        auto& list = members[static_cast<std::size_t>(parts.of[row])];
        rowIn[row] = static_cast<std::int32_t>(list.size());
        list.push_back(static_cast<std::int32_t>(row));
    }
    const std::vector<double> places = partPlaces(features, members, dimensions, team);
    std::vector<double> out(static_cast<std::size_t>(graph.rows * dimensions));
    for (std::size_t part = 0; part < members.size() && !team.stopped(); ++part) {
        // With very many parts all places would be compared with all: near enough is the mean spacing.
        const double room = members.size() <= 4096
                                ? roomAround(places, part, dimensions)
                                : 1 / std::pow(static_cast<double>(members.size()), 1.0 / dimensions);
        std::vector<double> layout;
        if (static_cast<int>(members[part].size()) > 2 * dimensions &&
            static_cast<int>(members[part].size()) > dimensions + 1)
            layout = spectralLayout(partOf(graph, members[part], rowIn), dimensions, seed, team, problem);
        if (layout.empty()) {
            RandomStream random(seed, kPartPurpose, part);
            for (std::size_t i = 0; i < members[part].size() * static_cast<std::size_t>(dimensions); ++i)
                layout.push_back(2 * random.uniform() - 1);
        }
        const double largest = largestMagnitude(layout), factor = largest > 0 ? room / largest : 0;
        for (std::size_t i = 0; i < layout.size(); ++i) {
            const std::size_t d = i % static_cast<std::size_t>(dimensions);
            const auto row = static_cast<std::size_t>(members[part][i / static_cast<std::size_t>(dimensions)]);
            out[row * static_cast<std::size_t>(dimensions) + d] =
                places[part * static_cast<std::size_t>(dimensions) + d] + factor * layout[i];
        }
    }
    if (!problem.empty())
        problem = "the eigenvectors of a part of the graph did not converge, so that part starts at random";
    return out;
}

// Scaled to 10, a little noise against coincident points, then each dimension moved to [0, 10]: umap-learn's way.
std::vector<float> finished(const std::vector<double>& layout, std::int64_t rows, int dimensions, std::uint64_t seed)
{
    const double largest = largestMagnitude(layout), factor = largest > 0 ? 10 / largest : 0;
    std::vector<double> noisy(layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i)
        noisy[i] = layout[i] * factor + 1e-4 * RandomStream(seed, kJitterPurpose, i).normal();
    std::vector<float> out(layout.size());
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        const auto stride = static_cast<std::size_t>(dimensions);
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            low = std::min(low, noisy[row * stride + d]);
            high = std::max(high, noisy[row * stride + d]);
        }
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
            out[row * stride + d] =
                high > low ? static_cast<float>(10 * (noisy[row * stride + d] - low) / (high - low)) : 0.0f;
    }
    return out;
}

} // namespace

std::vector<double> principalComponents(const FeatureRows& features, int dimensions, ThreadTeam& team)
{
    const std::int64_t columns = features.columns;
    std::vector<double> mean(static_cast<std::size_t>(columns), 0.0);
    for (std::int64_t row = 0; row < features.rows; ++row) {
        for (std::size_t c = 0; c < mean.size(); ++c)
            mean[c] += features.row(row)[c] / static_cast<double>(features.rows);
    }
    // C v = sum over rows of x (x . v), x centred; in at most 64 chunks, summed in their order.
    const std::int64_t grain = std::max<std::int64_t>(64, (features.rows + 63) / 64);
    const std::int64_t chunks = (features.rows + grain - 1) / grain;
    const auto apply = [&](const double* x, double* y, int block) {
        const auto cells = static_cast<std::size_t>(columns * block);
        std::vector<double> partial(static_cast<std::size_t>(chunks) * cells, 0.0);
        team.forRanges(features.rows, grain, [&](std::int64_t begin, std::int64_t end) {
            double* out = partial.data() + static_cast<std::size_t>(begin / grain) * cells;
            std::vector<double> along(static_cast<std::size_t>(block));
            for (std::int64_t row = begin; row < end; ++row) {
                std::fill(along.begin(), along.end(), 0.0);
                for (std::int64_t c = 0; c < columns; ++c) {
                    const double value = features.row(row)[c] - mean[static_cast<std::size_t>(c)];
                    for (int j = 0; j < block; ++j)
                        along[static_cast<std::size_t>(j)] += value * x[c * block + j];
                }
                for (std::int64_t c = 0; c < columns; ++c) {
                    const double value = features.row(row)[c] - mean[static_cast<std::size_t>(c)];
                    for (int j = 0; j < block; ++j)
                        out[c * block + j] += value * along[static_cast<std::size_t>(j)];
                }
            }
        });
        std::fill(y, y + cells, 0.0);
        for (std::size_t i = 0; i < partial.size(); ++i)
            y[i % cells] += partial[i];
    };
    const int kept = static_cast<int>(std::min<std::int64_t>(dimensions, columns));
    std::vector<double> axes(static_cast<std::size_t>(columns * kept)); // columns x kept
    if (columns <= std::max(kDenseRows, 4 * (dimensions + 4))) {
        std::vector<double> unit(static_cast<std::size_t>(columns * columns), 0.0), matrix(unit.size());
        for (std::int64_t c = 0; c < columns; ++c)
            unit[static_cast<std::size_t>(c * columns + c)] = 1;
        apply(unit.data(), matrix.data(), static_cast<int>(columns));
        const DenseEigen eigen = denseSymmetricEigen(std::move(matrix), static_cast<int>(columns));
        for (std::int64_t c = 0; c < columns; ++c)
            std::copy_n(eigen.vectors.begin() + c * columns, kept, axes.begin() + c * kept);
    } else {
        double trace = 0;
        for (std::int64_t row = 0; row < features.rows; ++row) {
            for (std::size_t c = 0; c < mean.size(); ++c)
                trace += (features.row(row)[c] - mean[c]) * (features.row(row)[c] - mean[c]);
        }
        SubspaceProblem problem{columns, 0, apply, {}};
        SubspaceOptions options;
        options.wanted = kept;
        options.block = std::max(8, dimensions + 4);
        options.degree = 6;
        options.mostRounds = 40;
        options.top = std::max(trace, std::numeric_limits<double>::min());
        options.tolerance = 1e-3;
        options.leastResidual = 1e-6 * options.top;
        axes = largestEigenpairs(problem, options, team).vectors;
    }
    std::vector<double> out(static_cast<std::size_t>(features.rows * dimensions), 0.0);
    team.forRanges(features.rows, 256, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            for (std::int64_t c = 0; c < columns; ++c) {
                for (int d = 0; d < kept; ++d)
                    out[static_cast<std::size_t>(row * dimensions + d)] +=
                        (features.row(row)[c] - mean[static_cast<std::size_t>(c)]) *
                        axes[static_cast<std::size_t>(c * kept + d)];
            }
        }
    });
    return out;
}

StartLayout startLayout(const FeatureRows& features, const SparseGraph& graph, UmapStart start, int dimensions,
                        std::uint64_t seed, ThreadTeam& team)
{
    StartLayout out;
    out.used = start;
    std::vector<double> layout;
    if (start == UmapStart::Spectral && graph.rows <= dimensions + 1) {
        out.used = UmapStart::Random;
        out.note = "a spectral start needs more rows than dimensions + 1, so the start is random";
    } else if (start == UmapStart::Spectral) {
        const GraphParts parts = connectedParts(graph);
        out.parts = parts.count;
        layout = parts.count == 1 ? spectralLayout(graph, dimensions, seed, team, out.note)
                                  : layoutOfParts(features, graph, parts, dimensions, seed, team, out.note);
        if (layout.empty())
            out.used = UmapStart::Pca;
    }
    if (out.used == UmapStart::Pca) {
        layout = principalComponents(features, dimensions, team);
        fixSigns(layout, graph.rows, dimensions);
    }
    if (out.used == UmapStart::Random) {
        layout.resize(static_cast<std::size_t>(graph.rows * dimensions));
        for (std::size_t i = 0; i < layout.size(); ++i)
            layout[i] = 20 * RandomStream(seed, kRandomPurpose, i).uniform() - 10;
    }
    if (!team.stopped())
        out.coordinates = finished(layout, graph.rows, dimensions, seed);
    return out;
}

} // namespace peakscope
