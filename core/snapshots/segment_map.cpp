// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/segment_map.h"

#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace peakscope {

namespace {

// Ranges of mapped memory, undone event by event from the end of the history.
class MappedRanges
{
public:
    struct Range {
        std::int64_t bytes = 0;
        std::uint32_t stream = 0, pool = 0;
        bool expandable = false; // grows and shrinks; else it comes and goes whole
    };

    void add(std::uint64_t address, const Range& range)
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

    // What of it is mapped.
    void remove(std::uint64_t address, std::int64_t bytes)
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

    const std::map<std::uint64_t, Range>& ranges() const { return m_ranges; }

private:
    static bool joins(const Range& a, const Range& b)
    {
        return a.expandable && b.expandable && a.stream == b.stream && a.pool == b.pool;
    }
    void put(std::uint64_t from, std::uint64_t until, Range range)
    {
        range.bytes = static_cast<std::int64_t>(until - from);
        m_ranges[from] = range;
    }

    std::map<std::uint64_t, Range> m_ranges;
};

bool isMapping(SnapshotAction action)
{
    return action == SnapshotAction::SegmentMap || action == SnapshotAction::SegmentUnmap;
}

// From the segments of the end backwards; from nothing forwards where the file has none.
MappedRanges rangesAfter(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event)
{
    MappedRanges ranges;
    bool any = false;
    for (const SnapshotSegment& segment : snapshot.segments) {
        if (segment.device != replay.device)
            continue;
        any = true;
        ranges.add(segment.address, {segment.bytes, segment.stream, segment.pool, segment.expandable});
    }
    const DeviceHistory* history = snapshot.history(replay.device);
    const std::int64_t count = history ? static_cast<std::int64_t>(history->events.size()) : 0;
    const auto apply = [&ranges](const AllocatorEvent& row, bool maps) {
        if (maps)
            ranges.add(row.address, {row.bytes, row.stream, row.pool, isMapping(row.action)});
        else
            ranges.remove(row.address, row.bytes);
    };
    for (std::int64_t i = any ? count - 1 : 0; any ? i > event : i <= std::min(event, count - 1); i += any ? -1 : 1) {
        const AllocatorEvent& row = history->events[static_cast<std::size_t>(i)];
        if (row.action == SnapshotAction::SegmentAlloc || row.action == SnapshotAction::SegmentMap)
            apply(row, !any);
        else if (row.action == SnapshotAction::SegmentFree || row.action == SnapshotAction::SegmentUnmap)
            apply(row, any);
    }
    return ranges;
}

} // namespace

double FreeMemory::fragmentation() const
{
    return freeBytes > 0 ? 1 - static_cast<double>(largestBytes) / static_cast<double>(freeBytes) : 0;
}

SegmentMap segmentMap(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event)
{
    SegmentMap map;
    const MappedRanges mapped = rangesAfter(snapshot, replay, event);
    for (const auto& [address, range] : mapped.ranges())
        map.segments.push_back({address, range.bytes, range.stream, range.pool, {}});
    std::vector<std::size_t> held; // blocks that have not been given back, by address
    for (std::size_t i = 0; i < replay.blocks.size(); ++i) {
        const HeldBlock& block = replay.blocks[i];
        if (block.born <= event && (block.freeCompleted < 0 || block.freeCompleted > event))
            held.push_back(i);
    }
    std::sort(held.begin(), held.end(),
              [&](std::size_t a, std::size_t b) { return replay.blocks[a].address < replay.blocks[b].address; });
    auto next = held.begin();
    for (MappedSegment& segment : map.segments) {
        const auto offsetOf = [&](std::size_t number) {
            return static_cast<std::int64_t>(replay.blocks[number].address - segment.address);
        };
        next =
            std::find_if(next, held.end(), [&](std::size_t i) { return replay.blocks[i].address >= segment.address; });
        std::int64_t offset = 0;
        const auto put = [&](std::int64_t until, PieceState state, std::size_t number) {
            if (until > offset)
                segment.pieces.push_back({offset, until - offset, state, number});
            offset = std::max(offset, until);
        };
        for (; next != held.end() && offsetOf(*next) < segment.bytes; ++next) {
            const HeldBlock& block = replay.blocks[*next];
            put(offsetOf(*next), PieceState::Free, 0);
            put(std::min(segment.bytes, offsetOf(*next) + block.bytes),
                block.aliveAfter(event) ? PieceState::Held : PieceState::AwaitingFree, *next);
        }
        put(segment.bytes, PieceState::Free, 0);
    }
    std::sort(map.segments.begin(), map.segments.end(), [](const MappedSegment& a, const MappedSegment& b) {
        return std::tuple(a.pool, a.stream, a.address) < std::tuple(b.pool, b.stream, b.address);
    });
    for (const MappedSegment& segment : map.segments) {
        if (map.free.empty() || map.free.back().pool != segment.pool || map.free.back().stream != segment.stream)
            map.free.push_back({segment.stream, segment.pool, 0, 0, 0});
        FreeMemory& free = map.free.back();
        free.reservedBytes += segment.bytes;
        map.reservedBytes += segment.bytes;
        for (const SegmentPiece& piece : segment.pieces) {
            if (piece.state == PieceState::Free) {
                free.freeBytes += piece.bytes;
                free.largestBytes = std::max(free.largestBytes, piece.bytes);
                map.freeBytes += piece.bytes;
            } else {
                (piece.state == PieceState::Held ? map.heldBytes : map.awaitingBytes) += piece.bytes;
            }
        }
    }
    return map;
}

Table segmentPiecesTable(const CudaSnapshot& snapshot, const SnapshotReplay& replay, const SegmentMap& map)
{
    Table table{"segments",
                {{"segment", ""},
                 {"stream", ""},
                 {"pool", ""},
                 {"offset_bytes", "bytes"},
                 {"piece_bytes", "bytes"},
                 {"state", ""},
                 {"line", ""},
                 {"component", ""}},
                {}};
    for (const MappedSegment& segment : map.segments) {
        for (const SegmentPiece& piece : segment.pieces) {
            const HeldBlock* block = piece.state == PieceState::Free ? nullptr : &replay.blocks[piece.block];
            table.rows.push_back({fmt::format("{:#x}", segment.address),
                                  std::to_string(snapshot.streams[segment.stream]), snapshot.pools[segment.pool],
                                  piece.offset, piece.bytes, std::string(name(piece.state)),
                                  block ? blockLine(snapshot, *block) : std::string(),
                                  block ? std::string(name(block->component)) : std::string()});
        }
    }
    return table;
}

} // namespace peakscope
