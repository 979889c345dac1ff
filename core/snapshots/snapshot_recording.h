// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One device of a snapshot as it was read: what a result of it is made from, and what can be asked of it afterwards.
// Does not change; any thread.
#pragma once

#include "core/snapshots/snapshot_replay.h"

#include <memory>

namespace peakscope {

struct SnapshotRecording {
    std::shared_ptr<const CudaSnapshot> snapshot; // of all devices of the file
    SnapshotReplay replay;
};

} // namespace peakscope
