// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a snapshot that are looked at together: those that a holder gathers, or one by itself. Pictures point them
// out, and their course says when they took how much. Pure functions.
#pragma once

#include "core/snapshots/snapshot_axis.h"
#include "core/snapshots/snapshot_holders.h"

namespace peakscope {

// One flag a block of the replay; empty: nothing was chosen.
using ChosenBlocks = std::vector<bool>;

// All blocks that the holder of that name has in any event; by age, which is of an event, those alive after it.
ChosenBlocks blocksOfHolder(const SnapshotRecording& recording, std::int64_t event, HolderKey key,
                            const std::string& what);
// The name of the holder that gathers a block.
std::string holderOfBlock(const SnapshotRecording& recording, std::int64_t event, HolderKey key, std::size_t block);

// The bytes of their blocks along the axis, where they change.
PlacedBytes courseOf(const SnapshotRecording& recording, SnapshotAxis axis, const ChosenBlocks& chosen);

struct ChosenFacts {
    std::int64_t requestedBytes = 0; // alive after the event, as are the next three
    std::int64_t bytes = 0;
    std::int64_t blocks = 0;
    std::int64_t largestBytes = 0;  // as asked for
    ComponentBytes components{};    // as asked for
    std::int64_t allBlocks = 0;     // of the whole history
    std::int64_t firstBorn = -1;    // event of the first of them; -1: before the history
    std::int64_t stayed = 0;        // alive at the end
    std::uint32_t stack = kNoStack; // that asked for most of what is alive
};
ChosenFacts factsOf(const SnapshotRecording& recording, std::int64_t event, const ChosenBlocks& chosen);

} // namespace peakscope
