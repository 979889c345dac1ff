// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The requests of a snapshot's history replayed under other settings of the allocator, or on another card: would it
// have fitted, and what would have been reserved. Pure functions; any thread.
#pragma once

#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <optional>

namespace peakscope {

struct WhatIf {
    std::int64_t peakReservedBytes = 0;
    std::int64_t capacityBytes = -1; // -1: no limit
    std::optional<std::int64_t>
        endsAtEvent;         // whose request did not fit; nothing: all did, failed ones of the record too
    bool fromBefore = false; // blocks from before the history were placed anew, in order of their addresses

    bool fits() const { return !endsAtEvent; }
};

// What the recorded device could reserve, where an end tells it: reserved and still free then. Where a limit of the
// program refused it, what is known to lie within that.
std::optional<std::int64_t> recordedCapacity(const SnapshotReplay& replay);

// `capacity`: nothing for recordedCapacity(), and no limit where that is not known.
WhatIf whatIf(const CudaSnapshot& snapshot, const SnapshotReplay& replay, const AllocatorSettings& settings,
              std::optional<std::int64_t> capacity = std::nullopt);

} // namespace peakscope
