// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of LibTorch's caching allocator on CUDA (c10/core/AllocatorConfig.h, c10/cuda/CUDACachingAllocator.cpp): what
// its model in a prediction and the ledger that follows it in a run go by. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace peakscope {

inline constexpr std::int64_t kCudaGranule = 512;                        // bytes that every request is rounded up to
inline constexpr std::int64_t kCudaSmallRequest = std::int64_t{1} << 20; // up to here the small pool answers
inline constexpr std::int64_t kCudaRoundLarge = std::int64_t{2} << 20; // segments of large requests are multiples of it

constexpr std::int64_t cudaRounded(std::int64_t requested)
{
    return std::max(kCudaGranule, (requested + kCudaGranule - 1) / kCudaGranule * kCudaGranule);
}

// Settings of the allocator that decide where it cuts a block (should_split).
struct CudaSplitRules {
    std::int64_t maxSplitBytes = 0; // blocks from this size on are never cut; 0: no limit
    bool expandableSegments = false;

    // Whether a block is cut of which a request takes `bytes` (rounded) and leaves `rest`.
    bool cuts(std::int64_t bytes, std::int64_t rest) const
    {
        if (bytes <= kCudaSmallRequest || expandableSegments)
            return rest >= kCudaGranule;
        return (maxSplitBytes == 0 || bytes < maxSplitBytes) && rest > kCudaSmallRequest;
    }
};

} // namespace peakscope
