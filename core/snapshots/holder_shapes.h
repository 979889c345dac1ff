// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is alive at one event of a snapshot in the shapes of its pictures: lines within components, and stacks as a
// tree. Pure functions.
#pragma once

#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct LineShare {
    std::string what;
    std::int64_t requestedBytes = 0;
    std::int64_t blocks = 0;
    std::int64_t chosenBytes = 0; // of them
};
struct ComponentShare {
    Component component = Component::Other;
    std::int64_t requestedBytes = 0;
    std::vector<LineShare> lines; // the largest first
};
// Component by component, the largest first; they sum to what is alive after the event. `chosen`: a flag a block of the
// replay, empty: none.
std::vector<ComponentShare> componentShares(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, const std::vector<bool>& chosen = {});

// A frame and those that it called, the outermost at the root, whose name is empty. Of stacks with frames of Python
// only these are there; a stack without any is one by its line.
struct FrameNode {
    std::string what; // "train.py:58 train"
    std::int64_t requestedBytes = 0;
    std::int64_t blocks = 0;
    std::int64_t chosenBytes = 0;           // of them
    Component component = Component::Other; // that holds most of it
    bool own = false;                       // of the program itself, not of an installed package
    std::vector<FrameNode> callees;         // the largest first
};
FrameNode frameTree(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event,
                    const std::vector<bool>& chosen = {});

} // namespace peakscope
