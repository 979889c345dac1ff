// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/lanczos.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/model/curvature_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace peakscope {
namespace {

// A direction counts as exhausted when its new part is this small beside the product it came from.
constexpr double kExhausted = 1e-13;

// That a check by a fresh direction passes over an eigenvalue which it looks for.
constexpr double kMissedChance = 1e-3;

at::Tensor columnOf(const std::vector<double>& values, const at::Tensor& like)
{
    return at::from_blob(const_cast<double*>(values.data()), {static_cast<std::int64_t>(values.size())},
                         at::TensorOptions(at::kDouble))
        .to(like.options());
}

} // namespace

void symmetricEigen(const std::vector<double>& matrix, std::int64_t size, std::vector<double>& values,
                    std::vector<double>& vectors)
{
    const at::Tensor input =
        at::from_blob(const_cast<double*>(matrix.data()), {size, size}, at::TensorOptions(at::kDouble));
    const auto [eigenvalues, eigenvectors] = at::linalg_eigh(input);
    const at::Tensor rows = eigenvectors.contiguous();
    values.assign(eigenvalues.data_ptr<double>(), eigenvalues.data_ptr<double>() + size);
    vectors.assign(rows.data_ptr<double>(), rows.data_ptr<double>() + size * size);
}

Lanczos::Lanczos(LinearOperator& matrix, const LanczosOptions& options, FillStart fillStart)
    : m_matrix(matrix), m_options(options), m_fillStart(std::move(fillStart)),
      m_capacity(std::min(std::max(options.basis, options.topK + 3), matrix.size()))
{
    m_options.topK = std::min(options.topK, matrix.size());
}

void Lanczos::begin()
{
    const auto [numbers, options] = [&] {
        const at::Tensor like = m_matrix.vector(); // let go before the basis comes
        return std::make_pair(like.numel(), like.options());
    }();
    m_state.basis = at::empty({m_capacity + 1, numbers}, options);
    tagStorage(m_state.basis, Component::Hessian);
    m_state.projected.assign(static_cast<std::size_t>(m_capacity * m_capacity), 0.0);
    m_state.discardedResidual.assign(static_cast<std::size_t>(m_capacity), 0.0);
    m_state.size = 0;
    m_state.starts = 0;
    drawDirection(m_state.basis[0], 0);
}

void Lanczos::drawDirection(const at::Tensor& vector, std::int64_t rows)
{
    const VectorLayout& layout = m_matrix.layout();
    m_fillStart(vector, m_state.starts++);
    vector.div_(layout.norm(vector));
    if (rows == 0)
        return;
    std::vector<double> unused(static_cast<std::size_t>(rows), 0.0);
    orthogonalise(vector, unused);
    vector.div_(layout.norm(vector));
}

// Classical Gram-Schmidt twice is enough (Giraud, Langou, Rozložník 2005); adds the coefficients it took out.
void Lanczos::orthogonalise(const at::Tensor& vector, std::vector<double>& coefficients) const
{
    const auto rows = static_cast<std::int64_t>(coefficients.size());
    if (rows == 0)
        return;
    const at::Tensor basis = m_state.basis.narrow(0, 0, rows);
    for (int pass = 0; pass < 2; ++pass) {
        const at::Tensor part = at::mv(basis, vector);
        m_matrix.layout().sum(part);
        vector.addmv_(basis.t(), part, 1, -1);
        const at::Tensor wide = part.to(at::kDouble).cpu();
        for (std::int64_t i = 0; i < rows; ++i)
            coefficients[static_cast<std::size_t>(i)] += wide.data_ptr<double>()[i];
    }
}

double Lanczos::expand()
{
    const VectorLayout& layout = m_matrix.layout();
    const std::int64_t j = m_state.size;
    const at::Tensor direction = m_state.basis[j];
    const at::Tensor next = m_state.basis[j + 1];
    m_matrix.apply(direction, next);
    ++m_state.products;
    if (!m_state.locked.empty()) {
        ++m_state.checkProducts;
        ++m_state.sinceCheck;
    }
    const double productNorm = layout.norm(next);
    // The diagonal is summed in float64; the projections of a float32 basis are as good as its vectors.
    const double alpha = layout.dot(direction, next);
    next.sub_(direction, alpha);
    std::vector<double> coefficients(static_cast<std::size_t>(j + 1), 0.0);
    orthogonalise(next, coefficients);
    coefficients.back() += alpha;
    for (std::int64_t i = 0; i <= j; ++i) {
        m_state.projected[static_cast<std::size_t>(i * m_capacity + j)] = coefficients[static_cast<std::size_t>(i)];
        m_state.projected[static_cast<std::size_t>(j * m_capacity + i)] = coefficients[static_cast<std::size_t>(i)];
    }
    m_state.size = j + 1;
    double beta = layout.norm(next);
    if (beta > kExhausted * productNorm && beta > 0) {
        next.div_(beta);
        return beta;
    }
    if (m_state.size < m_matrix.size()) {
        // The subspace is invariant: go on from a fresh direction orthogonal to it.
        drawDirection(next, m_state.size);
    }
    return 0;
}

void Lanczos::solve(double beta)
{
    const std::int64_t size = m_state.size;
    std::vector<double> matrix(static_cast<std::size_t>(size * size));
    for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < size; ++j)
            matrix[static_cast<std::size_t>(i * size + j)] =
                m_state.projected[static_cast<std::size_t>(i * m_capacity + j)];
    }
    std::vector<double> values, vectors;
    symmetricEigen(matrix, size, values, vectors);
    std::vector<std::size_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
    m_values.resize(order.size());
    m_vectors.resize(order.size() * order.size());
    const std::size_t n = order.size();
    for (std::size_t column = 0; column < n; ++column) {
        m_values[column] = values[order[column]];
        for (std::size_t row = 0; row < n; ++row)
            m_vectors[row * n + column] = vectors[row * n + order[column]];
    }
    m_pairs.clear();
    m_open.clear();
    m_next.reset();
    for (std::size_t i = 0; i < std::min(n, static_cast<std::size_t>(m_options.topK) + 1); ++i) {
        const double open = beta * std::abs(m_vectors[(n - 1) * n + i]);
        const RitzPair pair{m_values[i], open + discardedResidualOf(i)};
        if (i == static_cast<std::size_t>(m_options.topK)) {
            m_next = pair;
            break;
        }
        m_pairs.push_back(pair);
        m_open.push_back(open);
    }
}

// What the rows have lost, as far as the i-th vector is made of them.
double Lanczos::discardedResidualOf(std::size_t i) const
{
    const auto size = static_cast<std::size_t>(m_state.size);
    double lost = 0;
    for (std::size_t row = 0; row < size; ++row)
        lost += std::abs(m_vectors[row * size + i]) * m_state.discardedResidual[row];
    return lost;
}

double Lanczos::bound() const
{
    return m_options.tolerance * std::abs(m_pairs.front().value);
}

bool Lanczos::converged() const
{
    if (m_state.size == m_matrix.size())
        return true;
    return pairsConverged() && (!m_options.deflates || checkedOut());
}

bool Lanczos::pairsConverged() const
{
    if (static_cast<std::int64_t>(m_pairs.size()) < m_options.topK || m_state.products <= m_options.topK + 1)
        return false;
    return std::all_of(m_open.begin(), m_open.end(), [this](double open) { return open <= bound(); });
}

bool Lanczos::foundOthers() const
{
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        if (std::abs(m_pairs[i].value) > std::abs(m_state.locked[i]) + bound())
            return true;
    }
    return false;
}

// Whether the fresh direction has shown all that it can: its own largest value is known, and belongs behind those that
// were found; or that it would come up to them is too unlikely after so many products. For a random start on n
// dimensions the largest value is short by more than a share e of the spectrum's width after j of them with a chance
// below 1.648 sqrt(n) exp(-sqrt(e) (2j - 1)) (Kuczynski and Wozniakowski 1992, theorem 4.1). Where restarts have cut
// into these products, that value must be known to a tenth of its distance, too.
bool Lanczos::checkedOut() const
{
    if (m_state.locked.empty() || !m_next || foundOthers())
        return false;
    if (m_next->residual <= bound())
        return true;
    const double width = 2 * std::abs(m_pairs.front().value);
    const double distance = std::abs(m_pairs.back().value) - std::abs(m_next->value), gap = distance / width;
    const bool known = m_state.restarts == m_state.restartsBeforeCheck || m_next->residual <= distance / 10;
    if (m_state.sinceCheck == 0 || !(gap > 0) || !known)
        return false;
    const double steps = 2 * static_cast<double>(m_state.sinceCheck) - 1;
    return 1.648 * std::sqrt(static_cast<double>(m_matrix.size())) * std::exp(-std::sqrt(gap) * steps) <= kMissedChance;
}

// Goes on from the pairs that were found and a random direction orthogonal to them, in the place of the one that would
// have come next.
void Lanczos::beginCheck()
{
    m_state.locked.clear();
    for (const RitzPair& pair : m_pairs)
        m_state.locked.push_back(pair.value);
    const auto kept = static_cast<std::int64_t>(m_pairs.size());
    restart(kept);
    m_values.resize(m_pairs.size());
    m_vectors.assign(m_pairs.size() * m_pairs.size(), 0.0);
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        m_vectors[i * m_pairs.size() + i] = 1;
        m_state.discardedResidual[i] = m_pairs[i].residual;
    }
    drawDirection(m_state.basis[kept], kept);
    m_state.sinceCheck = 0;
    m_state.restartsBeforeCheck = m_state.restarts;
    ++m_state.checks;
}

void Lanczos::restart(std::int64_t kept)
{
    const std::int64_t size = m_state.size;
    const at::Tensor all =
        at::from_blob(m_vectors.data(), {size, size}, at::TensorOptions(at::kDouble)).to(m_state.basis.options());
    const at::Tensor mixture = all.narrow(1, 0, kept).t().contiguous();
    const std::int64_t piece = std::max<std::int64_t>(1, kColumnPiece / size);
    for (std::int64_t begin = 0; begin < m_state.basis.size(1); begin += piece) {
        const std::int64_t count = std::min(piece, m_state.basis.size(1) - begin);
        const at::Tensor columns = m_state.basis.narrow(1, begin, count);
        columns.narrow(0, 0, kept).copy_(at::mm(mixture, columns.narrow(0, 0, size)));
    }
    m_state.basis[kept].copy_(m_state.basis[size]);
    std::fill(m_state.projected.begin(), m_state.projected.end(), 0.0);
    for (std::int64_t i = 0; i < kept; ++i)
        m_state.projected[static_cast<std::size_t>(i * m_capacity + i)] = m_values[static_cast<std::size_t>(i)];
    std::vector<double> lost(m_state.discardedResidual.size(), 0.0);
    for (std::int64_t i = 0; i < kept; ++i)
        lost[static_cast<std::size_t>(i)] = discardedResidualOf(static_cast<std::size_t>(i));
    m_state.discardedResidual = std::move(lost);
    m_state.size = kept;
    ++m_state.restarts;
}

LanczosResult Lanczos::run(const LanczosObserver& observer)
{
    const at::NoGradGuard guard; // operators that differentiate switch it on themselves
    if (!m_state.basis.defined())
        begin();
    LanczosResult result;
    bool goOn = true;
    while (goOn && !result.converged && m_state.products < m_options.mostProducts) {
        if (m_state.size == m_capacity) {
            if (m_vectors.empty())
                solve(0); // a state taken up from a file, where it was written full
            restart(std::min(m_capacity - 1, m_options.topK + (m_capacity - m_options.topK) / 2));
        }
        solve(expand());
        // On a stand-in of a card nothing converges: all that this would hold it has held once it has begun anew.
        result.converged = onStandIn() ? m_state.restarts > 0 || m_state.size == m_matrix.size() : converged();
        if (!result.converged && m_options.deflates && pairsConverged() && (m_state.locked.empty() || foundOthers()))
            beginCheck();
        if (observer)
            goOn = observer(m_state, m_pairs);
    }
    result.pairs = m_pairs;
    result.products = m_state.products;
    result.restarts = m_state.restarts;
    result.checks = m_state.checks;
    result.checkProducts = m_state.checkProducts;
    return result;
}

void Lanczos::ritzVector(std::size_t i, const at::Tensor& out) const
{
    std::vector<double> mixture(static_cast<std::size_t>(m_state.size));
    for (std::size_t row = 0; row < mixture.size(); ++row)
        mixture[row] = m_vectors[row * mixture.size() + i];
    const at::NoGradGuard guard;
    out.copy_(at::mv(m_state.basis.narrow(0, 0, m_state.size).t(), columnOf(mixture, out)));
    out.div_(m_matrix.layout().norm(out));
}

Quadrature lanczosQuadrature(LinearOperator& matrix, const at::Tensor& start, std::int64_t steps,
                             const std::function<bool()>& goOn)
{
    const at::NoGradGuard guard;
    const VectorLayout& layout = matrix.layout();
    at::Tensor current = start;
    current.div_(layout.norm(current));
    at::Tensor previous, next = matrix.vector();
    std::vector<double> alphas, betas;
    for (std::int64_t step = 0; step < std::min(steps, matrix.size()); ++step) {
        matrix.apply(current, next);
        const double alpha = layout.dot(current, next);
        alphas.push_back(alpha);
        next.sub_(current, alpha);
        if (previous.defined())
            next.sub_(previous, betas.back());
        const double beta = layout.norm(next);
        if ((goOn && !goOn()) || beta <= kExhausted * std::abs(alpha) || step + 1 == steps)
            break;
        betas.push_back(beta);
        next.div_(beta);
        at::Tensor free = previous.defined() ? previous : matrix.vector();
        previous = current;
        current = next;
        next = free;
    }
    return gaussQuadrature(std::move(alphas), std::move(betas));
}

// Implicit QL steps with Wilkinson's shift, which turn the first components of the vectors alone (Golub, Welsch,
// "Calculation of Gauss quadrature rules", 1969): a dense solver would take thrice the square of `diagonal`'s length.
Quadrature gaussQuadrature(std::vector<double> diagonal, std::vector<double> beside)
{
    constexpr int kMostSteps = 100; // of one eigenvalue; three are usual
    const std::size_t n = diagonal.size();
    beside.resize(n, 0.0);
    std::vector<double> first(n, 0.0);
    if (n > 0)
        first[0] = 1;
    const auto isSplit = [&](std::size_t i) {
        constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
        return std::abs(beside[i]) <= kEpsilon * (std::abs(diagonal[i]) + std::abs(diagonal[i + 1]));
    };
    for (std::size_t low = 0; low < n; ++low) {
        for (int step = 0; step < kMostSteps; ++step) {
            std::size_t high = low;
            while (high + 1 < n && !isSplit(high))
                ++high;
            if (high == low)
                break;
            double g = (diagonal[low + 1] - diagonal[low]) / (2 * beside[low]);
            g = diagonal[high] - diagonal[low] + beside[low] / (g + std::copysign(std::sqrt(g * g + 1), g));
            double sine = 1, cosine = 1, taken = 0;
            bool isWhole = true;
            for (std::size_t i = high; isWhole && i-- > low;) {
                const double f = sine * beside[i], b = cosine * beside[i], r = std::sqrt(f * f + g * g);
                beside[i + 1] = r;
                isWhole = r != 0;
                if (!isWhole) { // it splits here
                    diagonal[i + 1] -= taken;
                    beside[high] = 0;
                    break;
                }
                sine = f / r;
                cosine = g / r;
                g = diagonal[i + 1] - taken;
                const double turned = (diagonal[i] - g) * sine + 2 * cosine * b;
                taken = sine * turned;
                diagonal[i + 1] = g + taken;
                g = cosine * turned - b;
                const double above = first[i + 1];
                first[i + 1] = sine * first[i] + cosine * above;
                first[i] = cosine * first[i] - sine * above;
            }
            if (!isWhole)
                continue;
            diagonal[low] -= taken;
            beside[low] = g;
            beside[high] = 0;
        }
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return diagonal[a] < diagonal[b]; });
    Quadrature quadrature;
    for (const std::size_t i : order) {
        quadrature.nodes.push_back(diagonal[i]);
        quadrature.weights.push_back(first[i] * first[i]);
    }
    return quadrature;
}

} // namespace peakscope
