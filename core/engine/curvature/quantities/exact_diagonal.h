// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exact diagonal entries of the Hessian or the Gauss-Newton matrix, each by the cheapest exact way: closed form for the
// head, whole rows where more of a row is wanted than the sequence is long, single directions otherwise.
#pragma once

#include "core/engine/curvature/products/tape_routes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace peakscope {

struct DiagonalRequest {
    std::size_t tensor = 0;            // of the space
    std::vector<std::int64_t> indices; // flattened positions, ascending
    bool gaussNewton = false;
    ProductMethod method = ProductMethod::Auto; // Auto, Row, Jets or a tangent route (each entry by itself)
    std::int64_t atATime = 32;                  // directions in flight
};

class ExactDiagonal
{
public:
    explicit ExactDiagonal(const LossSurface& surface, const TapeRoutes& routes) : m_surface(surface), m_routes(routes)
    {}

    // `progress` is told how many directions were done since the last call and asked whether to go on; where it says
    // no, the result is empty. Values in the order of the indices.
    using Progress = std::function<bool(std::int64_t directions)>;
    std::vector<double> compute(const DiagonalRequest& request, const Progress& progress) const;

    // Directions that compute() will take: the unit of its work.
    std::int64_t directions(const DiagonalRequest& request) const;

private:
    struct Split {
        std::vector<std::size_t> closed; // positions in `indices` with a closed form
        std::vector<std::size_t> single; // each by itself
        std::vector<std::size_t> zero;   // nothing of the batch touches them
        std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> rows; // unit -> positions
        const TapeLinear* linear = nullptr;
    };
    Split split(const DiagonalRequest& request) const;
    void splitEmbedding(const DiagonalRequest& request, bool isHead, Split& out) const;
    void splitLinear(const DiagonalRequest& request, Split& out) const;
    std::vector<bool> tokensPresent() const;
    std::int64_t columns(const DiagonalRequest& request) const; // of the tensor as stored
    // Each fills its part's values; false: asked to stop.
    bool closedForm(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                    std::vector<double>& values) const;
    bool byRows(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                std::vector<double>& values) const;
    bool oneByOne(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                  std::vector<double>& values) const;

    const LossSurface& m_surface;
    const TapeRoutes& m_routes;
};

} // namespace peakscope
