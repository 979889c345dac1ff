// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the bytes of a snapshot are for. A snapshot does not say: it is inferred from where a block was asked for, by
// which thread, and what it outlived; docs/snapshots.md has the rules in words. Pure functions.
#pragma once

#include "core/snapshots/snapshot_replay.h"

namespace peakscope {

// Sets the component of every block; all stay Other where the history has no stacks.
void inferComponents(const CudaSnapshot& snapshot, SnapshotReplay& replay);

} // namespace peakscope
