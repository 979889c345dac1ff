// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/hessian_products.h"

#include "core/engine/cuda/step_timer.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

namespace peakscope {

void HessianProducts::applyAll(const std::vector<at::Tensor>& x, const std::vector<at::Tensor>& y)
{
    const at::AutoGradMode differentiate(true); // the caller's numerics run without
    StepTimer timer(deviceOfRun());
    if (m_gaussNewton) {
        m_routes.products(x, y, true);
    } else if (m_method == ProductMethod::ForwardOverReverse) {
        m_routes.products(x, y, false);
    } else if (m_method == ProductMethod::DoubleBackward) {
        m_surface.products(x, y);
    } else {
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (m_method == ProductMethod::ReverseOverForward)
                m_routes.reverseOverForward(x[k], y[k]);
            else
                m_lastStep = m_surface.finiteDifference(
                    x[k], y[k], m_stepFactor * (m_step > 0 ? m_step : LossSurface::usualStep(x[k].scalar_type())));
        }
    }
    m_products += static_cast<std::int64_t>(x.size());
    m_seconds += timer.seconds();
}

double symmetryError(LinearOperator& matrix, std::uint64_t seed)
{
    const VectorLayout& layout = matrix.layout();
    const at::Tensor u = matrix.vector(), v = matrix.vector(), product = matrix.vector();
    layout.fillNormal(u, seed, DrawPurpose::SymmetryProbe, 0);
    layout.fillNormal(v, seed, DrawPurpose::SymmetryProbe, 1);
    matrix.apply(v, product);
    const double scale = layout.norm(u) * layout.norm(product), one = layout.dot(u, product);
    matrix.apply(u, product);
    return scale > 0 ? std::abs(one - layout.dot(v, product)) / scale : 0;
}

} // namespace peakscope
