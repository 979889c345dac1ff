// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Soft caps of attention's scores and of logits (Bello et al. 2016, section 4; Gemma 2): c = cap · tanh(x / cap), and
// x itself where the cap is 0.
#pragma once

#include <ATen/core/Tensor.h>

namespace peakscope {

// c, by operators that autograd knows, as Hugging Face's library has them.
at::Tensor softCapped(at::Tensor x, double cap);

// c in the place of x, where autograd does not look on. Returns dc/dx of the same shape where `wantsSlope` and there is
// a cap, else nothing.
at::Tensor softCap(const at::Tensor& x, double cap, bool wantsSlope);

// dc/dx and d²c/dx² of capped values c.
at::Tensor slopeOfCapped(const at::Tensor& c, double cap);
at::Tensor bendOfCapped(const at::Tensor& c, const at::Tensor& slope, double cap);

} // namespace peakscope
