// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The largest eigenpairs of a symmetric operator, by subspace iteration with a Chebyshev filter (Zhou, Saad, Tiago,
// Chelikowsky, J. Comput. Phys. 219, 2006), and all of a small dense matrix by Jacobi rotations. Used for the start of
// an embedding. The same bits for any number of threads.
#pragma once

#include "core/analysis/neighbors/thread_team.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace peakscope {

// All eigenpairs of a dense symmetric matrix of `size` rows, by value, largest first; vector k is column k of `vectors`
// (size x size, row by row).
struct DenseEigen {
    std::vector<double> values;
    std::vector<double> vectors;
};
DenseEigen denseSymmetricEigen(std::vector<double> matrix, int size);

struct SubspaceProblem {
    std::int64_t size = 0;
    double lowest = -1; // no eigenvalue is below this
    // y = A x for `block` columns, both size x block, row by row.
    std::function<void(const double* x, double* y, int block)> apply;
    std::vector<double> known; // a unit eigenvector to stay orthogonal to; may be empty
};

struct SubspaceOptions {
    int wanted = 2;          // eigenpairs; fewer than the operator's size
    int block = 8;           // columns iterated together, above `wanted`, at most the size less the known vector
    int degree = 12;         // of the filter's polynomial
    int mostRounds = 80;     // filter, orthonormalise, project; then the answer is given as it is
    double tolerance = 1e-4; // of a pair's residual, relative to the distance of its value from `top`
    double top = 1;          // an upper bound of all eigenvalues
    double leastResidual = 1e-7;
    std::uint64_t seed = 1;
};

struct SubspaceResult {
    bool converged = false;
    int rounds = 0;
    double residual = 0; // the largest of the wanted pairs, as measured against its own bound: <= 1 is converged
    std::vector<double> values;
    std::vector<double> vectors; // size x wanted, row by row
};

// Stopped teams give back what there is with converged = false.
SubspaceResult largestEigenpairs(const SubspaceProblem& problem, const SubspaceOptions& options, ThreadTeam& team);

} // namespace peakscope
