// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's caching allocator as far as it decides what is reserved: c10/cuda/CUDACachingAllocator.cpp. Addresses are
// its own. One thread.
#pragma once

#include "core/allocator/allocator_settings.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace peakscope {

class AllocatorModel
{
public:
    static constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

    // `capacity`: bytes that may be reserved at most.
    explicit AllocatorModel(AllocatorSettings settings, std::int64_t capacity = kNoLimit);
    ~AllocatorModel();

    struct Block {
        std::size_t pool = 0;
        std::uint64_t address = 0;
        std::int64_t bytes = 0;
    };
    // A block for the request; nothing where it does not fit, also after all that is unused was given back.
    std::optional<Block> allocate(std::int64_t bytes, std::uint32_t stream = 0, std::uint32_t pool = 0);
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
