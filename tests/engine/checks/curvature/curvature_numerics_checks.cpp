// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/vectors/estimate_statistics.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/vectors/parameter_space.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

// Given by its rows; counts its products.
class DenseOperator final : public LinearOperator
{
public:
    explicit DenseOperator(at::Tensor matrix) : m_matrix(std::move(matrix)) {}
    std::int64_t size() const override { return m_matrix.size(0); }
    void apply(const at::Tensor& x, const at::Tensor& y) override { y.copy_(at::mv(m_matrix, x)); }
    at::Tensor vector() const override { return at::zeros({size()}, m_matrix.options()); }

private:
    at::Tensor m_matrix;
};

// A symmetric matrix with known eigenvalues: a reflection of a diagonal.
at::Tensor reflectedDiagonal(const at::Tensor& values)
{
    at::Tensor v = at::zeros(values.sizes(), values.options());
    fillNormal(v, 9, DrawPurpose::SymmetryProbe, 5);
    v = v / normOf(v);
    const at::Tensor reflection = at::zeros({values.size(0), values.size(0)}, values.options())
                                      .fill_diagonal_(1)
                                      .sub_(v.unsqueeze(1) * v.unsqueeze(0), 2);
    return (reflection * values.unsqueeze(0)).matmul(reflection.t());
}

void addLanczosChecks(std::vector<CheckResult>& results)
{
    constexpr std::int64_t kSize = 300;
    at::Tensor values = at::arange(kSize, at::TensorOptions(at::kDouble)) / kSize - 0.4;
    values[7] = -9.0;
    values[8] = 8.5;
    values[9] = 8.4;
    values[10] = -4;
    DenseOperator matrix(reflectedDiagonal(values));
    for (const std::int64_t basis : {60, 9}) {
        LanczosOptions options;
        options.topK = 4;
        options.basis = basis;
        Lanczos lanczos(matrix, options, [](const at::Tensor& vector, std::uint64_t number) {
            fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
        });
        const LanczosResult found = lanczos.run();
        const double right[] = {-9, 8.5, 8.4, -4};
        double worst = found.converged && found.pairs.size() == 4 ? 0 : 1;
        for (std::size_t i = 0; i < found.pairs.size(); ++i)
            worst = std::max(worst, std::abs(found.pairs[i].value - right[i]));
        at::Tensor vector = matrix.vector(), product = matrix.vector();
        lanczos.ritzVector(1, vector);
        matrix.apply(vector, product);
        const double residual = normOf(product.sub_(vector, found.pairs[1].value));
        const std::string name = "curvature: Lanczos with " + std::to_string(basis) + " vectors";
        results.push_back(boundCheck(name, worst, 1e-9, "eigenvalues off by"));
        results.push_back(boundCheck(name + ", residual", residual, 1e-6, "|Hx - value x| of the second pair"));
    }
    // An eigenvalue with several vectors is there as often as it has vectors, at the cost of a sweep each.
    for (const std::int64_t several : {1, 5}) {
        // Beside a few others, each many times, or many different ones.
        const at::Tensor places = at::arange(kSize, at::TensorOptions(at::kDouble));
        at::Tensor repeated = several > 1 ? places.remainder(4) * 0.05 + 0.1 : places / (2 * kSize);
        repeated.narrow(0, 100, several).fill_(0.9461);
        repeated[3] = -0.8;
        DenseOperator degenerate(reflectedDiagonal(repeated));
        for (const std::int64_t basis : {60, 9}) {
            LanczosOptions options;
            options.topK = several + 1;
            options.basis = basis;
            const auto start = [](const at::Tensor& vector, std::uint64_t number) {
                fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
            };
            const LanczosResult unchecked = Lanczos(degenerate, options, start).run();
            options.deflates = true;
            Lanczos lanczos(degenerate, options, start);
            const LanczosResult found = lanczos.run();
            double worst = found.converged && found.checks >= (several > 1 ? 2 : 1) ? 0 : 1, residual = 0;
            at::Tensor vector = degenerate.vector(), product = degenerate.vector();
            for (std::int64_t i = 0; i < options.topK; ++i) {
                const RitzPair& pair = found.pairs.at(static_cast<std::size_t>(i));
                worst = std::max(worst, std::abs(pair.value - (i < several ? 0.9461 : -0.8)));
                lanczos.ritzVector(static_cast<std::size_t>(i), vector);
                degenerate.apply(vector, product);
                residual = std::max(residual, normOf(product.sub_(vector, pair.value)));
            }
            const std::string name = "curvature: Lanczos with " + std::to_string(basis) + " vectors, an eigenvalue " +
                                     std::to_string(several) + " times";
            results.push_back(boundCheck(name, worst, 1e-9, "eigenvalues off by"));
            results.push_back(boundCheck(name + ", residuals", residual, 1e-6, "|Hx - value x|"));
            const double sweeps = static_cast<double>(found.products) /
                                  static_cast<double>(std::max<std::int64_t>(1, unchecked.products));
            if (several == 1)
                results.push_back(boundCheck(name + ", products", sweeps, 2, "times those of a run without a check"));
        }
    }
    // Gone on with from a state whose basis was full: the same numbers.
    {
        LanczosOptions options;
        options.topK = 4;
        options.basis = 9;
        const auto start = [](const at::Tensor& vector, std::uint64_t number) {
            fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
        };
        Lanczos whole(matrix, options, start), first(matrix, options, start), second(matrix, options, start);
        const LanczosResult undisturbed = whole.run();
        first.run([](const LanczosState& state, const std::vector<RitzPair>&) { return state.size < 9; });
        second.begin();
        second.state().basis.copy_(first.state().basis);
        second.state().projected = first.state().projected;
        second.state().size = first.state().size;
        second.state().products = first.state().products;
        const LanczosResult taken = second.run();
        double worst = taken.products == undisturbed.products ? 0 : 1;
        for (std::size_t i = 0; i < std::min(taken.pairs.size(), undisturbed.pairs.size()); ++i)
            worst = std::max(worst, std::abs(taken.pairs[i].value - undisturbed.pairs[i].value));
        results.push_back(boundCheck("curvature: Lanczos from a full basis", worst, 1e-12, "values differ by"));
    }
    // A matrix of rank two: the subspace is used up at once.
    at::Tensor low = at::zeros({40}, at::TensorOptions(at::kDouble));
    low[3] = 2;
    low[4] = -1;
    DenseOperator small(reflectedDiagonal(low));
    LanczosOptions options;
    options.topK = 3;
    Lanczos lanczos(small, options, [](const at::Tensor& vector, std::uint64_t number) {
        fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
    });
    const LanczosResult found = lanczos.run();
    const bool right = found.pairs.size() == 3 && std::abs(found.pairs[0].value - 2) < 1e-9 &&
                       std::abs(found.pairs[1].value + 1) < 1e-9 && std::abs(found.pairs[2].value) < 1e-9;
    results.push_back({"curvature: Lanczos of a matrix of rank two", right, "2, -1 and 0 are right"});
}

void addQuadratureCheck(std::vector<CheckResult>& results)
{
    constexpr std::int64_t kSize = 200;
    const at::Tensor values = (at::arange(kSize, at::TensorOptions(at::kDouble)) / kSize).pow(3);
    DenseOperator matrix(reflectedDiagonal(values));
    MeanEstimate first, third;
    double total = 0;
    for (std::uint64_t number = 0; number < 20; ++number) {
        const at::Tensor start = matrix.vector();
        fillSigns(start, 2, DrawPurpose::DensityProbe, number);
        const Quadrature quadrature = lanczosQuadrature(matrix, start, 30);
        double moment = 0, cube = 0, weights = 0;
        for (std::size_t i = 0; i < quadrature.nodes.size(); ++i) {
            weights += quadrature.weights[i];
            moment += quadrature.weights[i] * quadrature.nodes[i];
            cube += quadrature.weights[i] * std::pow(quadrature.nodes[i], 3);
        }
        first.add(moment);
        third.add(cube);
        total = std::max(total, std::abs(weights - 1));
    }
    results.push_back(boundCheck("curvature: quadrature weights", total, 1e-12, "their sum is off one by"));
    const auto within = [](const MeanEstimate& estimate, double right) {
        return std::abs(estimate.mean() - right) / estimate.standardError();
    };
    results.push_back(boundCheck("curvature: quadrature's first moment", within(first, values.mean().item<double>()), 4,
                                 "standard errors off the mean eigenvalue"));
    results.push_back(boundCheck("curvature: quadrature's third moment",
                                 within(third, values.pow(3).mean().item<double>()), 4, "standard errors off"));
}

// Against the dense solver: nodes, and weights where a node stands alone.
void addGaussCheck(std::vector<CheckResult>& results)
{
    double nodes = 0, weights = 0;
    for (const std::int64_t size : {1, 2, 7, 60, 300}) {
        const at::Tensor drawn = at::empty({2, size}, at::TensorOptions(at::kDouble));
        fillSigns(drawn, 5, DrawPurpose::DensityProbe, static_cast<std::uint64_t>(size));
        std::vector<double> diagonal, beside, matrix(static_cast<std::size_t>(size * size), 0.0);
        for (std::int64_t i = 0; i < size; ++i) {
            const auto at = [&](std::int64_t row) { return drawn[row][i].item<double>(); };
            diagonal.push_back(at(0) * static_cast<double>(i % 7));
            matrix[static_cast<std::size_t>(i * size + i)] = diagonal.back();
            if (i + 1 == size)
                break;
            beside.push_back(i == 3 ? 0 : 0.1 + 0.05 * static_cast<double>(i % 5) + 0.01 * at(1)); // it splits once
            matrix[static_cast<std::size_t>(i * size + i + 1)] = matrix[static_cast<std::size_t>((i + 1) * size + i)] =
                beside.back();
        }
        const Quadrature found = gaussQuadrature(diagonal, beside);
        std::vector<double> values, vectors;
        symmetricEigen(matrix, size, values, vectors);
        for (std::size_t i = 0; i < values.size(); ++i) {
            nodes = std::max(nodes, std::abs(found.nodes[i] - values[i]));
            const bool alone = (i == 0 || values[i] - values[i - 1] > 1e-3) &&
                               (i + 1 == values.size() || values[i + 1] - values[i] > 1e-3);
            if (alone)
                weights = std::max(weights, std::abs(found.weights[i] - vectors[i] * vectors[i]));
        }
    }
    results.push_back(boundCheck("curvature: nodes of a tridiagonal matrix", nodes, 1e-12, "off by"));
    results.push_back(boundCheck("curvature: weights of a tridiagonal matrix", weights, 1e-10, "off by"));
}

// Hutchinson's intervals: how many of 1000 seeded runs cover the trace of a small model's Hessian.
void addCoverageCheck(std::vector<CheckResult>& results)
{
    constexpr std::int64_t kProbes = 20, kRuns = 1000;
    ModelConfig config = smallConfigs().front().second;
    config.hidden = config.embedDim = 8;
    config.headDim = config.hidden / config.heads;
    config.layers = 1;
    config.ffn = 12;
    config.vocab = 13;
    config.maxPositions = 8;
    const CurvatureCase one(config, at::TensorOptions(at::kDouble), 3, 7, 3);
    const at::Tensor matrix = one.dense();
    const std::int64_t size = matrix.size(0);
    const double trace = matrix.diagonal().sum().item<double>();
    std::int64_t covered = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
        const at::Tensor probes = at::zeros({kProbes, size}, matrix.options());
        for (std::int64_t k = 0; k < kProbes; ++k)
            fillSigns(probes[k], run, DrawPurpose::TraceProbe, static_cast<std::uint64_t>(k));
        const at::Tensor draws = (probes.matmul(matrix) * probes).sum(1);
        MeanEstimate estimate;
        for (std::int64_t k = 0; k < kProbes; ++k)
            estimate.add(draws.data_ptr<double>()[k]);
        const auto [low, high] = estimate.interval();
        covered += low <= trace && trace <= high;
    }
    results.push_back({"curvature: 95 % intervals of the trace", covered >= 930 && covered <= 970,
                       std::to_string(covered) + " of 1000 cover that of " + std::to_string(size) +
                           " parameters, 930 to 970 are right"});
}

void addSamplingChecks(std::vector<CheckResult>& results)
{
    const std::vector<std::int64_t> sizes{1000, 10, 300, 7, 1};
    std::vector<std::int64_t> former(sizes.size(), 0);
    bool monotone = true, complete = true;
    for (std::int64_t count = 0; count <= 1318; ++count) {
        const std::vector<std::int64_t> shares = apportion(sizes, count);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            monotone = monotone && shares[i] >= former[i] && shares[i] <= sizes[i];
            sum += shares[i];
        }
        complete = complete && sum == count;
        former = shares;
    }
    results.push_back({"curvature: a larger sample holds the smaller one", monotone && complete,
                       "shares of strata never shrink and add up"});
    results.push_back(
        {"curvature: Student's quantiles",
         std::abs(studentQuantile(1) - 12.7062047362) < 1e-6 && std::abs(studentQuantile(4) - 2.7764451052) < 1e-8 &&
             std::abs(studentQuantile(99) - 1.9842169516) < 1e-8 && std::abs(studentQuantile(5000) - 1.9604386) < 1e-5,
         "of 1, 4, 99 and 5000 degrees of freedom"});
}

} // namespace

std::vector<CheckResult> curvatureNumericsChecks()
{
    std::vector<CheckResult> results;
    try {
        addLanczosChecks(results);
        addQuadratureCheck(results);
        addGaussCheck(results);
        addCoverageCheck(results);
        addSamplingChecks(results);
    } catch (const std::exception& exception) {
        results.push_back({"curvature: numerics", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
