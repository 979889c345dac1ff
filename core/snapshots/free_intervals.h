// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reserved memory that nobody holds, as the caching allocator keeps it: pieces that touch are one, but never across the
// beginning of a segment. Part of a replay (snapshot_replay.h); one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>

namespace peakscope {

class FreeIntervals
{
public:
    // A segment begins here: what lies before it is never joined with it.
    void addWall(std::uint64_t address) { m_walls.insert(address); }
    void removeWall(std::uint64_t address) { m_walls.erase(address); }
    void add(std::uint64_t address, std::int64_t bytes);
    // The whole piece that begins here; nothing where none does.
    std::optional<std::int64_t> take(std::uint64_t address);
    // Takes exactly this; false where it was not all free.
    bool cut(std::uint64_t address, std::int64_t bytes);
    std::int64_t largest() const; // looks at all of them

private:
    std::map<std::uint64_t, std::int64_t> m_pieces; // address -> bytes
    std::unordered_set<std::uint64_t> m_walls;
};

} // namespace peakscope
