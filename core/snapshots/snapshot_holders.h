// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds the memory of a snapshot at one of its events, in the words of the program that was recorded, and what
// grows from step to step. Pure functions; any thread.
#pragma once

#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// "train.py:58 train": the innermost frame of a Python file that is neither installed nor of the standard library, else
// the innermost of any Python file; where no frame is Python's "backward of Addmm" by the node that ran, else the
// innermost frame; "(no stack)".
std::string snapshotLine(const CudaSnapshot& snapshot, std::uint32_t stack);

// "linear.py:125 forward; train.py:28 forward", the innermost first; "(no stack)".
std::string snapshotStack(const CudaSnapshot& snapshot, std::uint32_t stack);

enum class HolderKey : std::uint8_t { Line, Stack, Stream, Pool, Step };
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<HolderKey>{"line", "stack", "stream", "pool", "step"};

struct SnapshotHolder {
    std::string what;
    std::int64_t requestedBytes = 0;
    std::int64_t bytes = 0; // of its blocks
    std::int64_t blocks = 0;
    std::uint32_t stack = kNoStack; // the one that holds most of it
};

// All blocks alive after the event (-1: before the first), the largest holder first; equal ones by name. They sum to
// the curves' values there.
std::vector<SnapshotHolder> snapshotHolders(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, HolderKey key);

// A whole stack that left a block alive in each of three complete steps or more.
struct GrowingStack {
    std::string line;
    std::uint32_t stack = kNoStack;
    std::int64_t requestedBytes = 0; // of blocks of complete steps
    std::int64_t steps = 0;
};
std::vector<GrowingStack> growingStacks(const CudaSnapshot& snapshot,
                                        const SnapshotReplay& replay); // the largest first

} // namespace peakscope
