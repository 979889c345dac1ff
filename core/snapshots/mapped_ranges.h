// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which memory a device's allocator had reserved at an instant, told from the segments of the end and the events that
// made and unmade them. Part of a replay (snapshot_replay.h); one thread.
#pragma once

#include "core/snapshots/cuda_snapshot.h"

#include <cstdint>
#include <map>
#include <span>

namespace peakscope {

class MappedRanges
{
public:
    struct Range {
        std::int64_t bytes = 0;
        std::uint32_t stream = 0, pool = 0;
        bool expandable = false; // grows and shrinks, and is one with what it touches; else it comes and goes whole
    };

    void add(std::uint64_t address, const Range& range);
    // What of it is mapped.
    void remove(std::uint64_t address, std::int64_t bytes);
    const std::map<std::uint64_t, Range>& ranges() const { return m_ranges; }

private:
    void put(std::uint64_t from, std::uint64_t until, Range range);

    std::map<std::uint64_t, Range> m_ranges;
};

// After an event of the history; before the first one: -1. Where the file lists no segments, what was unmapped and
// never mapped was there before.
MappedRanges mappedAfter(const CudaSnapshot& snapshot, std::int64_t device, std::span<const AllocatorEvent> events,
                         std::int64_t event);

} // namespace peakscope
