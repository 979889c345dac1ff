// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Hessian of a loss surface as a linear operator, by the route that was chosen; counts and times its products.
#pragma once

#include "core/engine/curvature/products/loss_surface.h"
#include "core/engine/curvature/vectors/linear_operator.h"
#include "core/engine/curvature/products/tape_routes.h"

namespace peakscope {

class HessianProducts final : public LinearOperator
{
public:
    // `method` is a product route; `step` is that of finite differences (see LossSurface), 0: the usual one.
    // `gaussNewton`: the Gauss-Newton matrix instead, always by the tape.
    HessianProducts(const LossSurface& surface, const TapeRoutes& routes, ProductMethod method, double step,
                    bool gaussNewton = false)
        : m_surface(surface), m_routes(routes), m_method(method), m_step(step), m_gaussNewton(gaussNewton)
    {}

    std::int64_t size() const override { return m_surface.space().size(); }
    at::Tensor vector() const override { return m_surface.space().vector(); }
    const VectorLayout& layout() const override { return m_surface.space().layout(); }
    void apply(const at::Tensor& x, const at::Tensor& y) override { applyAll({x}, {y}); }
    void applyAll(const std::vector<at::Tensor>& x, const std::vector<at::Tensor>& y) override;

    ProductMethod method() const { return m_method; }
    std::int64_t products() const { return m_products; }
    double seconds() const { return m_seconds; }
    // The absolute step of the last finite difference.
    double lastStep() const { return m_lastStep; }
    void shortenStep(double factor) { m_stepFactor = factor; }

private:
    const LossSurface& m_surface;
    const TapeRoutes& m_routes;
    ProductMethod m_method;
    double m_step, m_stepFactor = 1;
    bool m_gaussNewton;
    std::int64_t m_products = 0;
    double m_seconds = 0;
    double m_lastStep = 0;
};

// |uᵀHv - vᵀHu| / (|u| |Hv|) for two seeded vectors of normal numbers: rounding is all that may be left of it.
double symmetryError(LinearOperator& matrix, std::uint64_t seed);

} // namespace peakscope
