// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The allocator's segments at one event of a snapshot, with the blocks and the holes in them. Pure functions.
#pragma once

#include "core/results/tables.h"
#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <vector>

namespace peakscope {

enum class PieceState : std::uint8_t { Held, AwaitingFree, Free };
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<PieceState>{"held", "awaiting_free", "free"};

struct SegmentPiece {
    std::int64_t offset = 0; // in the segment
    std::int64_t bytes = 0;
    PieceState state = PieceState::Free;
    std::size_t block = 0; // its number in the replay, unless it is free
};
struct MappedSegment {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint32_t stream = 0, pool = 0;
    std::vector<SegmentPiece> pieces; // by offset; they sum to it
};
// Of a stream and a pool: nothing of another's is given to them.
struct FreeMemory {
    std::uint32_t stream = 0, pool = 0;
    std::int64_t reservedBytes = 0, freeBytes = 0, largestBytes = 0;

    // The share of what is free that the largest piece is not; 0 where nothing is free.
    double fragmentation() const;
};
struct SegmentMap {
    std::vector<MappedSegment> segments; // by pool, stream and address
    std::vector<FreeMemory> free;        // by pool and stream
    std::int64_t reservedBytes = 0, heldBytes = 0, awaitingBytes = 0, freeBytes = 0;
};
// The segments after the event, and what lies in them.
SegmentMap segmentMap(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event);

// A row a piece: address, stream, pool, offset_bytes, piece_bytes, state, line, component.
Table segmentPiecesTable(const CudaSnapshot& snapshot, const SnapshotReplay& replay, const SegmentMap& map);

} // namespace peakscope
