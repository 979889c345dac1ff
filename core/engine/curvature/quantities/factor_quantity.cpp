// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Kronecker factors of the empirical Fisher matrix, and an L-BFGS approximation of the Hessian held against exact
// products.
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/model/curvature_pieces.h"
#include "core/results/section_readers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace peakscope {
namespace {

constexpr std::int64_t kLbfgsProbes = 5;
constexpr double kLbfgsStep = 1e-4; // length of a step, relative to 1 + |weights|
constexpr double kLeastCurvature = 1e-8;

class MatrixOperator final : public LinearOperator
{
public:
    explicit MatrixOperator(at::Tensor matrix) : m_matrix(std::move(matrix)) {}
    std::int64_t size() const override { return m_matrix.size(0); }
    at::Tensor vector() const override { return at::zeros({size()}, m_matrix.options()); }
    void apply(const at::Tensor& x, const at::Tensor& y) override { y.copy_(at::mv(m_matrix, x)); }

private:
    at::Tensor m_matrix;
};

double topEigenvalue(const CurvatureRun& run, const at::Tensor& matrix, std::uint64_t stream)
{
    MatrixOperator factor(matrix);
    LanczosOptions options;
    options.topK = 1;
    options.basis = kFactorBasis;
    options.mostProducts = 200;
    options.tolerance = 1e-6;
    Lanczos lanczos(factor, options, [&](const at::Tensor& vector, std::uint64_t number) {
        fillNormal(vector, run.seed, DrawPurpose::LanczosStart, (stream << 8) + 16 + number);
    });
    const LanczosResult result = lanczos.run();
    return result.pairs.empty() ? 0 : result.pairs.front().value;
}

// A = mean of x xᵀ over the counted positions (with a one beside x for a bias), G = mean of d dᵀ of the positions' own
// gradients d at the output; A times G stands for the layer's block (Martens and Grosse 2015).
CurvatureFactors layerFactors(CurvatureRun& run, const TapeLinear& linear, std::size_t number)
{
    const Parameter& weight = run.space().model().parameters()[linear.weight];
    const Tape& tape = run.routes.tape();
    const bool bias = tape.ops()[linear.op]->parameters.size() > 1;
    const std::int64_t in = tape.width(linear.input) + (bias ? 1 : 0), out = tape.width(linear.output);
    const auto options = weight.tensor.options().requires_grad(false);
    const at::Tensor a = at::zeros({in, in}, options), g = at::zeros({out, out}, options);
    tagStorage(a, Component::Hessian);
    tagStorage(g, Component::Hessian);
    double exact = 0, positions = 0;
    run.routes.forEachPart([&](TapePass& pass) {
        at::Tensor x = pass.value(linear.input).reshape({-1, tape.width(linear.input)});
        if (bias)
            x = at::cat({x, at::ones({x.size(0), 1}, x.options())}, 1);
        const at::Tensor d = pass.adjoint(linear.output).reshape({-1, out}) * pass.denominator();
        x = x * pass.labels().reshape({-1, 1}).ne(kIgnoredLabel); // of padding, d is zero by itself
        a.addmm_(x.t(), x);
        g.addmm_(d.t(), d);
        exact += (x.square().sum(1) * d.square().sum(1)).sum().item<double>();
    });
    positions = static_cast<double>(run.surface.batch().countedLabels);
    run.surface.sumOverRanks(a);
    run.surface.sumOverRanks(g);
    exact = run.surface.sumOverRanks(exact);
    a.div_(positions);
    g.div_(positions);
    const double aTrace = a.diagonal().sum().item<double>(), gTrace = g.diagonal().sum().item<double>();
    const double aTop = topEigenvalue(run, a, 2 * number), gTop = topEigenvalue(run, g, 2 * number + 1);
    return {weight.spec.name, in, out, aTrace, gTrace, aTop, gTop, aTrace * gTrace, exact / positions, aTop * gTop};
}

// Direct L-BFGS: B = gamma I, then for each pair B <- B - B s sᵀ B / sᵀBs + y yᵀ / yᵀs (Nocedal and Wright, 6.19).
class LbfgsMatrix
{
public:
    void add(at::Tensor s, at::Tensor y)
    {
        m_gamma = dotOf(y, y) / dotOf(s, y);
        m_s.push_back(std::move(s));
        m_y.push_back(std::move(y));
        m_bs.clear();
        for (std::size_t i = 0; i < m_s.size(); ++i)
            m_bs.push_back(product(m_s[i], i));
    }
    // By the first `pairs` pairs.
    at::Tensor product(const at::Tensor& v, std::size_t pairs) const
    {
        at::Tensor result = v * m_gamma;
        for (std::size_t i = 0; i < pairs; ++i) {
            result.sub_(m_bs[i], dotOf(m_bs[i], v) / dotOf(m_s[i], m_bs[i]));
            result.add_(m_y[i], dotOf(m_y[i], v) / dotOf(m_y[i], m_s[i]));
        }
        return result;
    }
    std::size_t pairs() const { return m_s.size(); }
    double gamma() const { return m_gamma; }

private:
    std::vector<at::Tensor> m_s, m_y, m_bs;
    double m_gamma = 1;
};

} // namespace

double kfacWork(const CurvatureRun&)
{
    return 2;
}

Status computeKfac(CurvatureRun& run)
{
    const at::NoGradGuard guard;
    run.routes.hold();
    CurvatureKfac kfac{{}, "empirical, per token"};
    std::vector<TapeLinear> linears; // whose weights are in the space: adapters alone where there are some
    for (const TapeLinear& linear : run.routes.tape().linears()) {
        const auto& tensors = run.space().tensors();
        if (std::any_of(tensors.begin(), tensors.end(),
                        [&](const SpaceTensor& tensor) { return tensor.parameter == linear.weight; }))
            linears.push_back(linear);
    }
    for (std::size_t i = 0; i < linears.size(); ++i) {
        if (Status stop = run.monitor.checkStop("the Kronecker factors"); !stop) {
            run.routes.release();
            return stop;
        }
        kfac.layers.push_back(layerFactors(run, linears[i], i));
        run.monitor.advance(2.0 / static_cast<double>(linears.size()), "kfac: " + kfac.layers.back().parameter);
    }
    run.routes.release();
    run.section["kfac"] = membersJson(kfac);
    return Done{};
}

double lbfgsWork(const CurvatureRun&)
{
    return kLbfgsPairs / 3.0 + kLbfgsProbes;
}

Status computeLbfgs(CurvatureRun& run)
{
    LbfgsMatrix matrix;
    std::int64_t skipped = 0;
    const at::Tensor start = run.space().vector(); // where the trajectory is, beside the weights
    at::Tensor gradient = run.space().vector();
    run.routes.gradient(gradient);
    const double length = kLbfgsStep * (1 + run.surface.weightNorm());
    for (std::int64_t step = 0; step < kLbfgsPairs; ++step) {
        if (Status stop = run.monitor.checkStop("the L-BFGS approximation"); !stop)
            return stop;
        const double norm = normOf(gradient);
        if (norm == 0)
            break;
        const at::Tensor s = run.space().vector(), next = run.space().vector();
        s.add_(gradient, -length / norm);
        start.add_(s);
        run.surface.shifted(start, 1, [&] { run.routes.gradient(next); });
        const at::Tensor y = run.space().vector();
        y.add_(next).sub_(gradient);
        const double curvature = dotOf(s, y);
        // A pair of negative curvature would make the approximation indefinite: it is left out, as everywhere.
        if (curvature > kLeastCurvature * normOf(s) * normOf(y))
            matrix.add(s, y);
        else
            ++skipped;
        gradient = next;
        run.monitor.advance(1.0 / 3, "lbfgs: pair " + std::to_string(step + 1));
    }
    MeanEstimate error, cosine;
    const at::Tensor v = run.space().vector(), right = run.space().vector();
    for (std::int64_t k = 0; k < kLbfgsProbes; ++k) {
        fillNormal(v, run.seed, DrawPurpose::LbfgsStep, static_cast<std::uint64_t>(k));
        run.products.apply(v, right);
        const at::Tensor found = matrix.product(v, matrix.pairs());
        cosine.add(dotOf(found, right) / (normOf(found) * normOf(right)));
        found.sub_(right);
        error.add(normOf(found) / normOf(right));
        run.monitor.advance(1, "lbfgs: exact product " + std::to_string(k + 1));
    }
    CurvatureInterval cosineResult = cosine.asResult();
    cosineResult.low = cosineResult.high = kNoNumber; // the error's alone are told
    run.section["lbfgs"] = membersJson(CurvatureLbfgs{static_cast<std::int64_t>(matrix.pairs()), skipped,
                                                      matrix.gamma(), error.asResult(), cosineResult});
    return Done{};
}

} // namespace peakscope
