// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA module's collectives: torch::cuda::nccl behind plain C functions.
#pragma once

#include "core/engine/cuda/cuda_module.h"

namespace peakscope {

CudaCollectives ncclCollectives();

} // namespace peakscope
