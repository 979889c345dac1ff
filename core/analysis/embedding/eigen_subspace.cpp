// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/eigen_subspace.h"

#include "core/analysis/neighbors/random_stream.h"

#include <cmath>
#include <numeric>

namespace peakscope {
namespace {

constexpr std::int64_t kGrain = 1024;

using Columns = std::vector<double>; // size x block, row by row

// Sums over rows are made chunk by chunk and then in the order of the chunks.
std::vector<double> productOf(const Columns& a, const Columns& b, std::int64_t size, int block, ThreadTeam& team)
{
    const auto cells = static_cast<std::size_t>(block * block);
    const std::int64_t chunks = (size + kGrain - 1) / kGrain;
    std::vector<double> partial(static_cast<std::size_t>(chunks) * cells, 0.0);
    team.forChunks(chunks, [&](std::int64_t chunk) {
        double* out = partial.data() + static_cast<std::size_t>(chunk) * cells;
        for (std::int64_t row = chunk * kGrain; row < std::min(size, (chunk + 1) * kGrain); ++row) {
            const double *x = a.data() + row * block, *y = b.data() + row * block;
            for (int i = 0; i < block; ++i) {
                for (int j = 0; j < block; ++j)
                    out[i * block + j] += x[i] * y[j];
            }
        }
    });
    std::vector<double> sum(cells, 0.0);
    for (std::size_t i = 0; i < partial.size(); ++i)
        sum[i % cells] += partial[i];
    return sum;
}

// columns * matrix, in place.
void rotate(Columns& columns, const std::vector<double>& matrix, std::int64_t size, int block, ThreadTeam& team)
{
    team.forRanges(size, kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> out(static_cast<std::size_t>(block));
        for (std::int64_t row = begin; row < end; ++row) {
            double* x = columns.data() + row * block;
            std::fill(out.begin(), out.end(), 0.0);
            for (int i = 0; i < block; ++i) {
                for (int j = 0; j < block; ++j)
                    out[static_cast<std::size_t>(j)] += x[i] * matrix[static_cast<std::size_t>(i * block + j)];
            }
            std::copy(out.begin(), out.end(), x);
        }
    });
}

void removeKnown(Columns& columns, const std::vector<double>& known, int block, ThreadTeam& team)
{
    if (known.empty())
        return;
    const auto size = static_cast<std::int64_t>(known.size());
    const std::int64_t chunks = (size + kGrain - 1) / kGrain;
    std::vector<double> partial(static_cast<std::size_t>(chunks * block), 0.0);
    team.forRanges(size, kGrain, [&](std::int64_t begin, std::int64_t end) {
        double* out = partial.data() + begin / kGrain * block;
        for (std::int64_t row = begin; row < end; ++row) {
            for (int j = 0; j < block; ++j)
                out[j] += known[static_cast<std::size_t>(row)] * columns[static_cast<std::size_t>(row * block + j)];
        }
    });
    std::vector<double> along(static_cast<std::size_t>(block), 0.0);
    for (std::size_t i = 0; i < partial.size(); ++i)
        along[i % static_cast<std::size_t>(block)] += partial[i];
    team.forRanges(size, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            for (int j = 0; j < block; ++j)
                columns[static_cast<std::size_t>(row * block + j)] -=
                    known[static_cast<std::size_t>(row)] * along[static_cast<std::size_t>(j)];
        }
    });
}

// X U S^-1/2 from the eigenvectors of X'X, twice; columns that depend on the others start again at random.
void orthonormalise(Columns& x, const SubspaceProblem& problem, int block, RandomStream& random, ThreadTeam& team)
{
    constexpr double kDependent = 1e-13;
    for (int pass = 0, good = 0; good < 2 && pass < 6 && !team.stopped(); ++pass) {
        removeKnown(x, problem.known, block, team);
        DenseEigen gram = denseSymmetricEigen(productOf(x, x, problem.size, block, team), block);
        const double largest = gram.values[0];
        for (int j = 0; j < block; ++j) {
            const double value = gram.values[static_cast<std::size_t>(j)];
            const double factor = value > kDependent * largest && value > 0 ? 1 / std::sqrt(value) : 0;
            for (int i = 0; i < block; ++i)
                gram.vectors[static_cast<std::size_t>(i * block + j)] *= factor;
        }
        rotate(x, gram.vectors, problem.size, block, team);
        bool dependent = false;
        for (int j = 0; j < block; ++j) {
            const double value = gram.values[static_cast<std::size_t>(j)];
            if (value > kDependent * largest && value > 0)
                continue;
            dependent = true;
            for (std::int64_t row = 0; row < problem.size; ++row)
                x[static_cast<std::size_t>(row * block + j)] = random.normal() / std::sqrt(problem.size);
        }
        good = dependent ? 0 : good + 1;
    }
}

// out = factor * (A x - centre x) - weight * before
void filterStep(const SubspaceProblem& problem, const Columns& x, double factor, double centre, double weight,
                const Columns& before, Columns& out, int block, ThreadTeam& team)
{
    problem.apply(x.data(), out.data(), block);
    team.forRanges(problem.size * block, kGrain * 8, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            out[i] = factor * (out[i] - centre * x[i]) - weight * before[i];
    });
}

// The scaled Chebyshev filter of the paper's algorithm 3.1: what lies in [low, cut] shrinks against what is above.
void applyFilter(const SubspaceProblem& problem, const SubspaceOptions& options, double cut, Columns& x,
                 Columns& spareA, Columns& spareB, ThreadTeam& team)
{
    const double e = (cut - problem.lowest) / 2, c = (cut + problem.lowest) / 2;
    const double first = e / (options.top - c);
    double sigma = first;
    filterStep(problem, x, sigma / e, c, 0, x, spareA, options.block, team);
    for (int i = 2; i <= options.degree && !team.stopped(); ++i) {
        const double next = 1 / (2 / first - sigma);
        filterStep(problem, spareA, 2 * next / e, c, sigma * next, x, spareB, options.block, team);
        std::swap(x, spareA);
        std::swap(spareA, spareB);
        sigma = next;
    }
    std::swap(x, spareA);
}

// The largest residual of the wanted pairs, each against its own bound.
double worstResidual(const Columns& x, const Columns& ax, const std::vector<double>& values,
                     const SubspaceProblem& problem, const SubspaceOptions& options, ThreadTeam& team)
{
    Columns residual(ax);
    const int block = options.block;
    team.forRanges(problem.size, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            for (int j = 0; j < block; ++j) {
                const auto at = static_cast<std::size_t>(row * block + j);
                residual[at] -= values[static_cast<std::size_t>(j)] * x[at];
            }
        }
    });
    const std::vector<double> squares = productOf(residual, residual, problem.size, block, team);
    double worst = 0;
    for (int j = 0; j < options.wanted; ++j) {
        const double bound = std::max(options.tolerance * std::abs(options.top - values[static_cast<std::size_t>(j)]),
                                      options.leastResidual);
        worst = std::max(worst, std::sqrt(squares[static_cast<std::size_t>(j * block + j)]) / bound);
    }
    return worst;
}

} // namespace

DenseEigen denseSymmetricEigen(std::vector<double> a, int size)
{
    const auto at = [size](int i, int j) { return static_cast<std::size_t>(i * size + j); };
    std::vector<double> v(a.size(), 0.0);
    for (int i = 0; i < size; ++i)
        v[at(i, i)] = 1;
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, diagonal = 0;
        for (int i = 0; i < size; ++i) {
            diagonal += a[at(i, i)] * a[at(i, i)];
            for (int j = i + 1; j < size; ++j)
                off += a[at(i, j)] * a[at(i, j)];
        }
        if (!(off > 1e-30 * diagonal))
            break;
        for (int p = 0; p < size; ++p) {
            for (int q = p + 1; q < size; ++q) {
                if (a[at(p, q)] == 0)
                    continue;
                const double theta = (a[at(q, q)] - a[at(p, p)]) / (2 * a[at(p, q)]);
                const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < size; ++k) {
                    const double kp = a[at(k, p)], kq = a[at(k, q)];
                    a[at(k, p)] = c * kp - s * kq;
                    a[at(k, q)] = s * kp + c * kq;
                }
                for (int k = 0; k < size; ++k) {
                    const double pk = a[at(p, k)], qk = a[at(q, k)];
                    a[at(p, k)] = c * pk - s * qk;
                    a[at(q, k)] = s * pk + c * qk;
                    const double kp = v[at(k, p)], kq = v[at(k, q)];
                    v[at(k, p)] = c * kp - s * kq;
                    v[at(k, q)] = s * kp + c * kq;
                }
            }
        }
    }
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return a[at(i, i)] > a[at(j, j)]; });
    DenseEigen out;
    out.vectors.resize(a.size());
    for (int k = 0; k < size; ++k) {
        const int from = order[static_cast<std::size_t>(k)];
        out.values.push_back(a[at(from, from)]);
        for (int i = 0; i < size; ++i)
            out.vectors[at(i, k)] = v[at(i, from)];
    }
    return out;
}

SubspaceResult largestEigenpairs(const SubspaceProblem& problem, const SubspaceOptions& options, ThreadTeam& team)
{
    const int block = options.block;
    const auto cells = static_cast<std::size_t>(problem.size * block);
    SubspaceResult out;
    Columns x(cells), ax(cells), spare(cells);
    RandomStream random(options.seed);
    for (double& value : x)
        value = random.normal();
    orthonormalise(x, problem, block, random, team);
    std::vector<double> values;
    for (out.rounds = 1; !team.stopped(); ++out.rounds) {
        problem.apply(x.data(), ax.data(), block);
        DenseEigen ritz = denseSymmetricEigen(productOf(x, ax, problem.size, block, team), block);
        values = ritz.values;
        rotate(x, ritz.vectors, problem.size, block, team);
        rotate(ax, ritz.vectors, problem.size, block, team);
        out.residual = worstResidual(x, ax, values, problem, options, team);
        out.converged = out.residual <= 1;
        if (out.converged || out.rounds >= options.mostRounds)
            break;
        // Within the block the last value is the best guess of where the unwanted part of the spectrum ends.
        const double cut = std::min(values.back(), options.top - 1e-9);
        applyFilter(problem, options, std::max(cut, problem.lowest + 1e-3 * (options.top - problem.lowest)), x, ax,
                    spare, team);
        orthonormalise(x, problem, block, random, team);
    }
    out.converged = out.converged && !team.stopped();
    values.resize(static_cast<std::size_t>(options.wanted));
    out.values = values;
    out.vectors.resize(static_cast<std::size_t>(problem.size * options.wanted));
    for (std::int64_t row = 0; row < problem.size; ++row)
        std::copy_n(x.begin() + row * block, options.wanted, out.vectors.begin() + row * options.wanted);
    return out;
}

} // namespace peakscope
