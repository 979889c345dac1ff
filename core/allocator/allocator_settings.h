// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes and rules of PyTorch's caching allocator on CUDA under the settings that PYTORCH_CUDA_ALLOC_CONF takes
// (c10/core/AllocatorConfig.h, c10/cuda/CUDACachingAllocator.cpp). Any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

inline constexpr std::int64_t kCudaGranule = 512; // kMinBlockSize: bytes that every request is rounded up to
inline constexpr std::int64_t kCudaSmallRequest = std::int64_t{1} << 20;  // kSmallSize: the small pool's largest
inline constexpr std::int64_t kCudaSmallSegment = std::int64_t{2} << 20;  // kSmallBuffer
inline constexpr std::int64_t kCudaLargeSegment = std::int64_t{20} << 20; // kLargeBuffer: for requests of 1 to 10 MiB
inline constexpr std::int64_t kCudaOwnSegment = std::int64_t{10} << 20;   // kMinLargeAlloc: larger ones have their own
inline constexpr std::int64_t kCudaRoundLarge = std::int64_t{2} << 20;    // kRoundLarge: a multiple of this

// The least multiple of `unit` that holds the bytes.
constexpr std::int64_t wholeUnits(std::int64_t bytes, std::int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

struct AllocatorSettings {
    std::int64_t maxSplitBytes = 0; // blocks from this size on are never split; 0: no limit
    bool expandableSegments = false;
    // roundup_power2_divisions: from these sizes in MiB on, so many steps between two powers of two.
    std::vector<std::pair<std::int64_t, std::int64_t>> divisions = {};

    std::string text() const; // as PYTORCH_CUDA_ALLOC_CONF has it; empty: the defaults
};

// "expandable_segments:True,max_split_size_mb:128". BadInput for what it is not, or for a setting whose effect cannot
// be said exactly (garbage_collection_threshold and what waits for threads or drivers).
Result<AllocatorSettings> allocatorSettings(const std::string& text);

// Bytes of a block that such a request takes: round_size().
std::int64_t roundedRequest(std::int64_t bytes, const AllocatorSettings& settings);

// Bytes of a segment that such a block is cut from, where none has room: get_allocation_size().
std::int64_t segmentBytes(std::int64_t need);

// should_split(): whether what is left of a piece behind a block of `need` bytes stays free, or goes with the block.
bool splitsPiece(std::int64_t need, std::int64_t rest, const AllocatorSettings& settings);

} // namespace peakscope
