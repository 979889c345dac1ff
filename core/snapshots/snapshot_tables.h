// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot as CSV, for spreadsheets and scripts: what it recorded, and what was found of it. Pure functions.
#pragma once

#include "core/snapshots/snapshot_recording.h"

#include <string>
#include <vector>

namespace peakscope {

struct SnapshotCsv {
    std::string name; // "events"
    std::string (*text)(const SnapshotRecording& recording);
};

// events, blocks (of the whole history), stacks (named by number in both), steps, holders (by line, where one looks
// first) and segments (with their pieces, at the end).
const std::vector<SnapshotCsv>& snapshotCsvs();

} // namespace peakscope
