// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA's caching allocator would hold for a simulated run: 512-byte rounding, small and large pools, split and
// merged blocks, segments that stay (c10/cuda/CUDACachingAllocator.cpp).
#pragma once

#include "core/allocator/cuda_blocks.h"
#include "core/experiment/experiment.h"
#include "core/planning/shadow/shadow_memory.h"

namespace peakscope {

// The most bytes of segments held at one time, from the events in order. With expandable segments a pool grows by
// 2 MiB (small) or 20 MiB (large) pages at its end.
std::int64_t reservedPeak(const ShadowMemory& memory, const CudaAllocatorOptions& options);

} // namespace peakscope
