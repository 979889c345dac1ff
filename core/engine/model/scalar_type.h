// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch's name of an experiment's number type.
#pragma once

#include "core/experiment/experiment.h"

#include <c10/core/ScalarType.h>

namespace peakscope {

inline at::ScalarType scalarTypeOf(Dtype dtype)
{
    switch (dtype) {
    case Dtype::Float32:
        return at::kFloat;
    case Dtype::Float64:
        return at::kDouble;
    case Dtype::BFloat16:
        return at::kBFloat16;
    case Dtype::Float16:
        return at::kHalf;
    }
    return at::kFloat;
}

} // namespace peakscope
