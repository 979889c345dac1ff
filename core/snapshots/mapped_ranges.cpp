// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/mapped_ranges.h"

#include <algorithm>

namespace peakscope {

namespace {

bool joins(const MappedRanges::Range& a, const MappedRanges::Range& b)
{
    return a.expandable && b.expandable && a.stream == b.stream && a.pool == b.pool;
}

bool maps(const AllocatorEvent& event)
{
    return event.action == SnapshotAction::SegmentAlloc || event.action == SnapshotAction::SegmentMap;
}

bool unmaps(const AllocatorEvent& event)
{
    return event.action == SnapshotAction::SegmentFree || event.action == SnapshotAction::SegmentUnmap;
}

void put(MappedRanges& ranges, const AllocatorEvent& event, bool mapped)
{
    const bool expandable = event.action == SnapshotAction::SegmentMap || event.action == SnapshotAction::SegmentUnmap;
    if (mapped)
        ranges.add(event.address, {event.bytes, event.stream, event.pool, expandable});
    else
        ranges.remove(event.address, event.bytes);
}

} // namespace

void MappedRanges::add(std::uint64_t address, const Range& range)
{
    Range whole = range;
    if (range.expandable) {
        const auto after = m_ranges.find(address + static_cast<std::uint64_t>(range.bytes));
        if (after != m_ranges.end() && joins(after->second, range)) {
            whole.bytes += after->second.bytes;
            m_ranges.erase(after);
        }
        const auto next = m_ranges.lower_bound(address);
        if (next != m_ranges.begin()) {
            const auto before = std::prev(next);
            if (before->first + static_cast<std::uint64_t>(before->second.bytes) == address &&
                joins(before->second, range)) {
                before->second.bytes += whole.bytes;
                return;
            }
        }
    }
    m_ranges[address] = whole;
}

void MappedRanges::remove(std::uint64_t address, std::int64_t bytes)
{
    const std::uint64_t end = address + static_cast<std::uint64_t>(bytes);
    auto at = m_ranges.upper_bound(address);
    if (at != m_ranges.begin())
        --at;
    while (at != m_ranges.end() && at->first < end) {
        const std::uint64_t from = at->first;
        const Range range = at->second;
        const std::uint64_t until = from + static_cast<std::uint64_t>(range.bytes);
        if (until <= address) {
            ++at;
            continue;
        }
        at = m_ranges.erase(at);
        if (from < address)
            put(from, address, range);
        if (until > end)
            put(end, until, range);
    }
}

void MappedRanges::put(std::uint64_t from, std::uint64_t until, Range range)
{
    range.bytes = static_cast<std::int64_t>(until - from);
    m_ranges[from] = range;
}

MappedRanges mappedAfter(const CudaSnapshot& snapshot, std::int64_t device, std::span<const AllocatorEvent> events,
                         std::int64_t event)
{
    MappedRanges ranges;
    bool any = false;
    for (const SnapshotSegment& segment : snapshot.segments) {
        if (segment.device != device)
            continue;
        any = true;
        ranges.add(segment.address, {segment.bytes, segment.stream, segment.pool, segment.expandable});
    }
    const auto count = static_cast<std::int64_t>(events.size());
    const std::int64_t last = std::min(event, count - 1);
    for (std::int64_t i = count - 1; i > (any ? last : -1); --i) {
        const AllocatorEvent& row = events[static_cast<std::size_t>(i)];
        if (maps(row) || unmaps(row))
            put(ranges, row, unmaps(row));
    }
    for (std::int64_t i = 0; !any && i <= last; ++i) {
        const AllocatorEvent& row = events[static_cast<std::size_t>(i)];
        if (maps(row) || unmaps(row))
            put(ranges, row, maps(row));
    }
    return ranges;
}

} // namespace peakscope
