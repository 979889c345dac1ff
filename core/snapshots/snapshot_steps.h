// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a history's steps end, what its annotations enclose, and which phases they name. Private to this folder.
#pragma once

#include "core/snapshots/snapshot_replay.h"

namespace peakscope {

// stepStarts, stepEnds, stepSource, stepsBeforeFirstEvent and spans of a replay whose events are counted.
void findSteps(const CudaSnapshot& snapshot, const DeviceHistory& history, SnapshotReplay& replay);

// Within a span whose name says forward, backward, optimizer, data or evaluation that is the phase, whatever was
// inferred.
void annotatePhases(const CudaSnapshot& snapshot, SnapshotReplay& replay);

} // namespace peakscope
