// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `inspect` says of one device of a snapshot, and the sentences that are said of it everywhere. Pure functions.
#pragma once

#include "core/snapshots/snapshot_holders.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>

namespace peakscope {

// "of devices 0 and 1, device 1 is shown, which ran out of memory": where several have a history, of which the first is
// shown; else empty.
std::string shownDeviceText(std::span<const SnapshotReplay> replays);

// {"device", "history", "events", "steps", "peak", "before", "end", "oom", "growing", …}, bytes throughout.
nlohmann::json snapshotDeviceJson(const CudaSnapshot& snapshot, const SnapshotReplay& replay);

// "out of memory at train.py:28 forward: 128 MiB asked for, 265 MiB free in pieces of at most 96.0 MiB: fragmented".
std::string outOfMemoryText(const CudaSnapshot& snapshot, const OutOfMemory& end);

// Host memory that was pinned, told apart from any device; nothing: the file has none.
std::optional<nlohmann::json> pinnedHostJson(const CudaSnapshot& snapshot);

} // namespace peakscope
