// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person would say of a snapshot: how it ended, who holds its peak, what grows, and what would help. Only what
// was computed is promised. Pure functions.
#pragma once

#include "core/results/plans/tier.h"
#include "core/snapshots/snapshot_holders.h"
#include "core/snapshots/snapshot_whatif.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct SnapshotRemedy {
    std::string change;                         // "expandable_segments:True"
    std::string how;                            // what to type, or what to look at in which line
    std::optional<std::int64_t> savesBytes;     // of what is reserved, of what grows, or at most of the peak
    std::optional<std::int64_t> peakBytes;      // reserved then
    std::string verdict;                        // "fits", "less reserved", "less at the peak", "look here", …
    std::string line;                           // of the program, where it is what changes
    std::optional<std::int64_t> allocatedBytes; // at the peak then, at least: savesBytes is a bound
    Tier tier = Tier::Exact;
};

struct SnapshotAdvice {
    std::string sentence;
    std::vector<SnapshotHolder> holders;  // at the end for lack of memory, else at the peak, by line
    std::vector<SnapshotRemedy> remedies; // the best first
};
SnapshotAdvice adviseOn(const CudaSnapshot& snapshot, const SnapshotReplay& replay);

// A row a remedy: verdict, change, saves_bytes, reserved_bytes, how.
Table remediesTable(const SnapshotAdvice& advice);

// Where there are no remedies, why: nothing helps, or nothing can be known.
std::string withoutRemedies(const SnapshotReplay& replay);

// {"device", "history", "peak_bytes", "holders", "oom", "growing", "remedies", "sentence"}.
nlohmann::json adviceJson(const CudaSnapshot& snapshot, const SnapshotReplay& replay);

} // namespace peakscope
