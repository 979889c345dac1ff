// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a history while its file is still read. What was there before the record is known from the file's end
// only, and so are the allocator's settings, which decide how requests become blocks. Known at once is what was asked
// for and let go of: bytes as requested, to the byte, but for a height that is the same everywhere. Plain data.
#pragma once

#include "core/snapshots/cuda_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace peakscope {

struct HistorySoFar {
    // Of as many events as any other, but for the last one.
    struct Piece {
        std::int64_t lowest = 0, highest = 0; // requested since the record began, less what was let go of
    };
    double read = 0;         // of the file, 0 to 1
    std::int64_t events = 0; // of the first history of a device
    std::int64_t eventsAPiece = 1;
    std::vector<Piece> pieces;
    std::int64_t atLeastBefore = 0; // was there before the record: more was let go of than had been asked for

    std::int64_t highest() const; // with it
};

// Grows with the events that it is shown.
class HistoryCourse
{
public:
    static constexpr std::size_t kMostPieces = 2048; // more than a screen has columns

    // All of a history's events so far; those that it had been shown stand before the others.
    void take(std::span<const AllocatorEvent> events);
    const HistorySoFar& soFar() const { return m_soFar; }

private:
    void add(const AllocatorEvent& event);

    HistorySoFar m_soFar;
    std::int64_t m_now = 0;
    bool m_withRequests = false; // else what is completed counts as requested
    bool m_completed = false;    // something has counted so
};

// Sees the events of the first history of a device, and how much of the file is read, now and then.
using SnapshotWatcher = std::function<void(std::span<const AllocatorEvent>, double)>;

inline constexpr std::size_t kBytesBetweenLooks = std::size_t{1} << 20; // of a file

// readSnapshotPickle() under a watcher, who is called from the same thread.
Result<CudaSnapshot> readSnapshotWatched(std::string_view bytes, const std::string& name,
                                         const SnapshotWatcher& watcher, const std::stop_token& stop = {},
                                         std::size_t bytesBetweenLooks = kBytesBetweenLooks);

} // namespace peakscope
