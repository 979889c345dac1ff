// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/segment_map.h"

#include "core/snapshots/mapped_ranges.h"
#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace peakscope {

double FreeMemory::fragmentation() const
{
    return freeBytes > 0 ? 1 - static_cast<double>(largestBytes) / static_cast<double>(freeBytes) : 0;
}

SegmentMap segmentMap(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event)
{
    SegmentMap map;
    const DeviceHistory* history = snapshot.history(replay.device);
    const MappedRanges mapped = mappedAfter(
        snapshot, replay.device, history ? std::span(history->events) : std::span<const AllocatorEvent>(), event);
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
