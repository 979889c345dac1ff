// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the bytes of a snapshot are for. A snapshot does not say: it is inferred from where a block was asked for, by
// which thread, and what it outlived; docs/snapshots.md has the rules in words. Pure functions.
#pragma once

#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// What a program's own recorder writes of parameters that need no gradient, in place of their component's name
// (packaging/python/peakscope/owners.py, core/dry/named_blocks.cpp).
inline constexpr std::string_view kUntrained = "parameters, not trained";

// What each allocation of a device was for, in their order, as a text that stands under this key in the file of a
// snapshot whose program was recorded, too: the device, what there is, and a letter each.
inline constexpr std::string_view kBlockNamesKey = "peakscope_components";
struct BlockName {
    Component component = Component::Other;
    bool trained = true;
};
std::string blockNamesText(std::int64_t device, const std::vector<BlockName>& names);
// False: they are not of this snapshot's allocations, as those of a whole file in a range of it.
bool setBlockNames(CudaSnapshot& snapshot, std::string_view text);

// Of such a size is what cuBLAS is given to work in, kept for each thread that multiplies.
bool isBlasWorkspace(std::int64_t bytes);

// Sets the component of every block; all stay Other where the history has no stacks.
void inferComponents(const CudaSnapshot& snapshot, SnapshotReplay& replay);

} // namespace peakscope
