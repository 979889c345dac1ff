// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between two snapshots, holder by holder. Pure functions.
#pragma once

#include "core/results/tables.h"
#include "core/snapshots/snapshot_holders.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// A holder of one of them or of both, by its words.
struct HolderChange {
    std::string what;
    std::array<std::int64_t, 2> requestedBytes{}, blocks{};

    std::int64_t bytes() const { return requestedBytes[1] - requestedBytes[0]; }
};

// The largest change first, whichever way; they sum to the difference of the two.
std::vector<HolderChange> holderChanges(const std::vector<SnapshotHolder>& a, const std::vector<SnapshotHolder>& b);

// A row a change: what, requested_bytes_a, requested_bytes_b, change_bytes, blocks_a, blocks_b.
Table holderChangesTable(const std::vector<HolderChange>& changes);

} // namespace peakscope
