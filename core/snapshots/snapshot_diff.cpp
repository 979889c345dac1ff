// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace peakscope {

std::vector<HolderChange> holderChanges(const std::vector<SnapshotHolder>& a, const std::vector<SnapshotHolder>& b)
{
    std::map<std::string, HolderChange> changes;
    const std::vector<SnapshotHolder>* both[] = {&a, &b};
    for (std::size_t side = 0; side < 2; ++side) {
        for (const SnapshotHolder& holder : *both[side]) {
            HolderChange& change = changes[holder.what];
            change.what = holder.what;
            change.requestedBytes[side] += holder.requestedBytes;
            change.blocks[side] += holder.blocks;
        }
    }
    std::vector<HolderChange> sorted;
    for (auto& [what, change] : changes)
        sorted.push_back(std::move(change));
    std::stable_sort(sorted.begin(), sorted.end(), [](const HolderChange& x, const HolderChange& y) {
        return std::abs(x.bytes()) > std::abs(y.bytes());
    });
    return sorted;
}

Table holderChangesTable(const std::vector<HolderChange>& changes)
{
    Table table{"changes",
                {{"what", ""},
                 {"requested_bytes_a", "bytes"},
                 {"requested_bytes_b", "bytes"},
                 {"change_bytes", "bytes"},
                 {"blocks_a", ""},
                 {"blocks_b", ""}},
                {}};
    for (const HolderChange& change : changes)
        table.rows.push_back({change.what, change.requestedBytes[0], change.requestedBytes[1], change.bytes(),
                              change.blocks[0], change.blocks[1]});
    return table;
}

} // namespace peakscope
