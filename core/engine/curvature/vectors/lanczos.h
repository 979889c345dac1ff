// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Eigenpairs of largest magnitude by the Lanczos process with full reorthogonalisation and thick restarts, so that the
// basis keeps to a given number of vectors (Wu and Simon, "Thick-restart Lanczos method for large symmetric eigenvalue
// problems", 2000); and the three-term recurrence for quadrature, which keeps three vectors.
#pragma once

#include "core/engine/curvature/vectors/linear_operator.h"
#include "core/results/curvature_section.h"

#include <functional>
#include <optional>
#include <vector>

namespace peakscope {

struct LanczosOptions {
    std::int64_t topK = 5;
    std::int64_t basis = 60; // vectors held, above topK + 2 (or the operator's size)
    double tolerance = 1e-7; // of a residual, relative to the largest magnitude found
    std::int64_t mostProducts = 2000;
    // One start finds one vector of an eigenvalue, however many it has. `deflates`: pairs count as found only after a
    // fresh random direction orthogonal to their vectors has shown no other eigenvalue that belongs among them.
    bool deflates = false;
};

struct RitzPair {
    double value = 0;
    double residual = 0; // |Hx - value x| of the unit vector x, by the recurrence
};

// Everything a run needs to go on from: nothing else has a memory.
struct LanczosState {
    at::Tensor basis;              // [capacity + 1, n], orthonormal rows
    std::vector<double> projected; // [capacity, capacity], VᵀHV of the rows that have their product
    std::int64_t size = 0;         // of those rows; row `size` is the next direction
    std::int64_t products = 0;
    std::int64_t restarts = 0;
    std::uint64_t starts = 0; // random directions drawn
    std::vector<double>
        discardedResidual;       // [capacity], of each row: the most of its residual that went with a direction let go
    std::vector<double> locked;  // the values that a fresh direction is held against; empty: there was none yet
    std::int64_t sinceCheck = 0; // products since then
    std::int64_t restartsBeforeCheck = 0; // and restarts until then
    std::int64_t checks = 0;              // fresh directions
    std::int64_t checkProducts = 0;       // spent on them
};

struct LanczosResult {
    std::vector<RitzPair> pairs; // by magnitude, largest first
    std::int64_t products = 0;
    std::int64_t restarts = 0;
    bool converged = false;
    std::int64_t checks = 0; // by fresh directions, of which the last showed nothing new where it converged
    std::int64_t checkProducts = 0;
};

// Called after every product with the pairs as they stand; false stops the run.
using LanczosObserver = std::function<bool(const LanczosState&, const std::vector<RitzPair>&)>;

class Lanczos
{
public:
    // `fillStart(vector, number)` gives the first direction (number 0) and others where a subspace is exhausted.
    using FillStart = std::function<void(const at::Tensor&, std::uint64_t)>;

    Lanczos(LinearOperator& matrix, const LanczosOptions& options, FillStart fillStart);

    // From the start, or from a state that an observer has seen.
    LanczosResult run(const LanczosObserver& observer = {});
    LanczosState& state() { return m_state; }
    bool converged() const;

    // The unit vector of the i-th pair of the last result.
    void ritzVector(std::size_t i, const at::Tensor& out) const;

    // Room for the basis and the first direction; run() does it where no state was taken up.
    void begin();

private:
    // One product; returns the norm of what is new.
    double expand();
    void orthogonalise(const at::Tensor& vector, std::vector<double>& coefficients) const;
    void solve(double beta);
    // The first `kept` vectors stand for the subspace from here on.
    void restart(std::int64_t kept);
    void drawDirection(const at::Tensor& vector, std::int64_t rows); // orthogonal to the basis' first rows
    void beginCheck();
    double discardedResidualOf(std::size_t i) const;
    bool pairsConverged() const;
    bool foundOthers() const; // than those that are checked
    bool checkedOut() const;
    double bound() const; // of residuals

    LinearOperator& m_matrix;
    LanczosOptions m_options;
    FillStart m_fillStart;
    std::int64_t m_capacity = 0;
    LanczosState m_state;
    std::vector<RitzPair> m_pairs;
    std::vector<double> m_open;     // of each pair's residual, what the next product may still take away
    std::optional<RitzPair> m_next; // the largest that is not asked for
    std::vector<double> m_values;   // of the projected matrix, by magnitude
    std::vector<double> m_vectors;  // their vectors, [size, size], a column each
};

// Nodes and weights of the Gauss quadrature of start's spectral measure: sum of weights[i] f(nodes[i]) approximates
// startᵀ f(H) start / |start|². No reorthogonalisation: copies of converged eigenvalues share their weight.
using Quadrature = CurvatureQuadrature;
// `goOn` is asked after every product.
Quadrature lanczosQuadrature(LinearOperator& matrix, const at::Tensor& start, std::int64_t steps,
                             const std::function<bool()>& goOn = {});

// Eigenvalues (ascending) of a symmetric tridiagonal matrix as nodes, squares of their vectors' first components as
// weights. `beside`: the entries beside the diagonal, one fewer.
Quadrature gaussQuadrature(std::vector<double> diagonal, std::vector<double> beside);

// Eigenvalues (ascending) and vectors (columns, row-major) of a small symmetric matrix given row by row.
void symmetricEigen(const std::vector<double>& matrix, std::int64_t size, std::vector<double>& values,
                    std::vector<double>& vectors);

} // namespace peakscope
