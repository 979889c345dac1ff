// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the program of a snapshot could do otherwise, only where the snapshot itself shows it: each remedy takes exactly
// the blocks that it names out of the replay, or shrinks them, and looks for the peak again. Pure; any thread.
#pragma once

#include "core/snapshots/snapshot_advice.h"

#include <vector>

namespace peakscope {

// What saves most first, each counted alone; nothing that saves less than a hundredth of the peak.
std::vector<SnapshotRemedy> programRemedies(const CudaSnapshot& snapshot, const SnapshotReplay& replay);

} // namespace peakscope
