// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words for an instant of a snapshot: "peak", "end", "oom", "event:814", "step:2". Pure functions.
#pragma once

#include "core/base/result.h"
#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <string>

namespace peakscope {

// The event after which it is; -1: before the first. BadInput names --at or the file.
Result<std::int64_t> snapshotEvent(const SnapshotReplay& replay, const std::string& at, const std::string& file);

// Where it ended for lack of memory, else where most was asked for, else the end: what one looks at first.
std::int64_t firstSight(const SnapshotReplay& replay);

// That of the words, else the first sight: of what was checked before, or is not asked for.
std::int64_t shownEvent(const SnapshotReplay& replay, const std::string& at);

// The instant at which two are compared: the peaks of both where both are known, else both ends. "peak" or "end".
std::string comparedAt(const SnapshotReplay& a, const SnapshotReplay& b);

} // namespace peakscope
