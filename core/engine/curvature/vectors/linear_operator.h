// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// All that the numerics (Lanczos, quadrature, estimators) know of a matrix.
#pragma once

#include "core/engine/curvature/vectors/vector_layout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace peakscope {

// A symmetric matrix. Vectors are one-dimensional tensors of one dtype and device; outputs are overwritten and must not
// be the inputs.
class LinearOperator
{
public:
    virtual ~LinearOperator() = default;
    virtual std::int64_t size() const = 0; // of whole vectors
    virtual void apply(const at::Tensor& x, const at::Tensor& y) = 0;
    // As many products at once as the operator likes; one after the other where it has nothing better.
    virtual void applyAll(const std::vector<at::Tensor>& x, const std::vector<at::Tensor>& y)
    {
        for (std::size_t k = 0; k < x.size(); ++k)
            apply(x[k], y[k]);
    }
    // A zero vector.
    virtual at::Tensor vector() const = 0;
    // How vectors are held: sums over their numbers go through it.
    virtual const VectorLayout& layout() const
    {
        static const VectorLayout whole;
        return whole;
    }
};

} // namespace peakscope
