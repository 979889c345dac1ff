// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A card's blocks, known twice: the allocator's own history has their sizes and when each lived, the probe has what
// each was for. Pure functions.
#pragma once

#include "core/base/result.h"
#include "core/recording/live_recording.h"
#include "core/snapshots/snapshot_recording.h"

#include <string>
#include <vector>

namespace peakscope {

// What the probe was told by the allocator itself, in the form of a history. Error: sizes sum to what no card has.
Result<SnapshotRecording> historyOf(const CardHistory& card, const ProbeNames& names);

// Of the blocks of the history's card. An error says how the two do not tell of the same blocks.
Result<MemorySection> cardMemory(const RecordedBlocks& blocks, const ProbeNames& names,
                                 const SnapshotRecording& history, std::vector<std::string>& notes);

} // namespace peakscope
