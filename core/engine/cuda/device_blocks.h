// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which block of CUDA's caching allocator stands behind an address, followed from what the allocator tells as it works:
// its events carry what was asked for, not what was handed out. Used by the CUDA ledger, under its lock. No LibTorch.
#pragma once

#include "core/allocator/allocator_settings.h"

#include <cstdint>
#include <map>
#include <set>

namespace peakscope {

using DeviceAddress = std::uint64_t;

class DeviceBlocks
{
public:
    void setSettings(const AllocatorSettings& settings) { m_settings = settings; }

    // Memory taken from the device. A mapped part of an expandable segment may grow a block that stands before it.
    void addSegment(DeviceAddress address, std::int64_t bytes);
    void mapPart(DeviceAddress address, std::int64_t bytes);
    // Memory given back to the device: free blocks, or what of them lies in the range.
    void remove(DeviceAddress address, std::int64_t bytes);

    // Bytes of the block handed out at `address` for a request: rounded up to 512, or the whole free block where the
    // allocator would not cut it. An address that no free block begins with counts as unknown and is rounded only.
    std::int64_t allocate(DeviceAddress address, std::int64_t requested);
    // The block may be handed out again; joined with its free neighbours of the same segment.
    void free(DeviceAddress address);

    std::int64_t reservedBytes() const { return m_reserved; }
    std::int64_t unknown() const { return m_unknown; }

private:
    struct Block {
        std::int64_t bytes = 0;
        bool free = true;
    };
    using Blocks = std::map<DeviceAddress, Block>;

    bool touches(Blocks::iterator block, Blocks::iterator next) const;
    void join(Blocks::iterator block);

    AllocatorSettings m_settings;
    Blocks m_blocks;
    std::set<DeviceAddress> m_segments; // where segments begin: what lies before is not joined with what follows
    std::int64_t m_reserved = 0;
    std::int64_t m_unknown = 0;
};

} // namespace peakscope
