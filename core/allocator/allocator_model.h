// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's caching allocator as far as it decides what is reserved: c10/cuda/CUDACachingAllocator.cpp under the
// settings that PYTORCH_CUDA_ALLOC_CONF takes. Addresses are its own. One thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace peakscope {

struct AllocatorSettings {
    bool expandableSegments = false;
    std::int64_t maxSplitBytes = -1; // blocks from this size on are never split; -1: no limit
    // roundup_power2_divisions: from these sizes in MiB on, so many steps between two powers of two.
    std::vector<std::pair<std::int64_t, std::int64_t>> divisions;

    std::string text() const; // as PYTORCH_CUDA_ALLOC_CONF has it; empty: the defaults
};

// "expandable_segments:True,max_split_size_mb:128". BadInput for what it is not, or for a setting whose effect cannot
// be said exactly (garbage_collection_threshold and what waits for threads or drivers).
Result<AllocatorSettings> allocatorSettings(const std::string& text);

// Bytes of a block that such a request takes: round_size().
std::int64_t roundedRequest(std::int64_t bytes, const AllocatorSettings& settings);

// should_split(): whether what is left of a piece behind a block of `need` bytes stays free, or goes with the block.
bool splitsPiece(std::int64_t need, std::int64_t rest, const AllocatorSettings& settings);

class AllocatorModel
{
public:
    // `capacity`: what may be reserved at most.
    AllocatorModel(AllocatorSettings settings, std::int64_t capacity);
    ~AllocatorModel();

    // A block for the request; nothing where it does not fit, also after all that is unused was given back.
    struct Block {
        std::size_t pool = 0;
        std::uint64_t address = 0;
    };
    std::optional<Block> allocate(std::int64_t bytes, std::uint32_t stream, std::uint32_t pool);
    void release(const Block& block);

    std::int64_t reservedBytes() const;
    std::int64_t peakReservedBytes() const { return m_peak; }

    class Pool; // blocks of one stream, one memory pool and one size class

private:
    std::optional<Block> tryAllocate(std::size_t pool, std::int64_t need);
    std::size_t poolOf(bool small, std::uint32_t stream, std::uint32_t pool);

    AllocatorSettings m_settings;
    std::int64_t m_capacity;
    std::int64_t m_peak = 0;
    std::vector<std::unique_ptr<Pool>> m_pools;
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::size_t> m_numbers;
};

} // namespace peakscope
