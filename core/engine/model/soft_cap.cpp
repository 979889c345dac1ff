// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/soft_cap.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/square.h>
#include <ATen/ops/tanh.h>

namespace peakscope {

at::Tensor softCapped(at::Tensor x, double cap)
{
    if (cap == 0)
        return x;
    x = x / cap; // each dies with the next
    x = at::tanh(x);
    return x * cap;
}

at::Tensor softCap(const at::Tensor& x, double cap, bool wantsSlope)
{
    if (cap == 0)
        return {};
    x.div_(cap).tanh_();
    at::Tensor slope;
    if (wantsSlope)
        slope = at::square(x).neg_().add_(1); // of the tangent itself, not yet scaled
    x.mul_(cap);
    return slope;
}

at::Tensor slopeOfCapped(const at::Tensor& c, double cap)
{
    return at::square(c).mul_(-1 / (cap * cap)).add_(1);
}

at::Tensor bendOfCapped(const at::Tensor& c, const at::Tensor& slope, double cap)
{
    return (c * slope).mul_(-2 / (cap * cap));
}

} // namespace peakscope
