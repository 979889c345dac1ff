// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/free_intervals.h"

#include <algorithm>

namespace peakscope {

void FreeIntervals::add(std::uint64_t address, std::int64_t bytes)
{
    if (bytes <= 0)
        return;
    const auto behind = m_pieces.lower_bound(address);
    auto hint = behind;
    if (behind != m_pieces.end() && behind->first == address + static_cast<std::uint64_t>(bytes) &&
        !m_walls.contains(behind->first)) {
        bytes += behind->second;
        hint = m_pieces.erase(behind);
    }
    if (hint != m_pieces.begin() && !m_walls.contains(address)) {
        const auto before = std::prev(hint);
        if (before->first + static_cast<std::uint64_t>(before->second) == address) {
            before->second += bytes;
            return;
        }
    }
    m_pieces.insert_or_assign(hint, address, bytes);
}

std::optional<std::int64_t> FreeIntervals::take(std::uint64_t address)
{
    const auto piece = m_pieces.find(address);
    if (piece == m_pieces.end())
        return std::nullopt;
    const std::int64_t bytes = piece->second;
    m_pieces.erase(piece);
    return bytes;
}

bool FreeIntervals::cut(std::uint64_t address, std::int64_t bytes)
{
    auto piece = m_pieces.upper_bound(address);
    if (piece == m_pieces.begin())
        return false;
    --piece;
    const std::uint64_t first = piece->first, end = first + static_cast<std::uint64_t>(piece->second);
    const std::uint64_t to = address + static_cast<std::uint64_t>(bytes);
    if (to > end || to < address)
        return false;
    const auto next = m_pieces.erase(piece);
    if (to < end)
        m_pieces.emplace_hint(next, to, static_cast<std::int64_t>(end - to));
    if (first < address)
        m_pieces.emplace(first, static_cast<std::int64_t>(address - first));
    return true;
}

std::int64_t FreeIntervals::largest() const
{
    std::int64_t most = 0;
    for (const auto& [address, bytes] : m_pieces)
        most = std::max(most, bytes);
    return most;
}

} // namespace peakscope
