// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/history_so_far.h"

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

constexpr std::int64_t kLargestSum = std::int64_t{1} << 57; // what sums to more is refused once it is read

}

std::int64_t HistorySoFar::highest() const
{
    std::int64_t most = 0;
    for (const Piece& piece : pieces)
        most = std::max(most, piece.highest);
    return most + atLeastBefore;
}

void HistoryCourse::take(std::span<const AllocatorEvent> events)
{
    for (auto i = static_cast<std::size_t>(m_soFar.events); i < events.size(); ++i) {
        const SnapshotAction action = events[i].action;
        const bool request = action == SnapshotAction::FreeRequested || action == SnapshotAction::Free;
        if (request && !std::exchange(m_withRequests, true) && m_completed) {
            // What was completed so far had been requested before the record: once more, without it.
            *this = {};
            m_withRequests = true;
            return take(events);
        }
        add(events[i]);
    }
}

void HistoryCourse::add(const AllocatorEvent& event)
{
    using A = SnapshotAction;
    const bool completes = event.action == A::FreeCompleted && !m_withRequests;
    m_completed |= completes;
    if (event.action == A::Alloc)
        m_now = std::min(m_now + event.bytes, kLargestSum);
    else if (completes || event.action == A::FreeRequested || event.action == A::Free)
        m_now = std::max(m_now - event.bytes, -kLargestSum);
    std::vector<HistorySoFar::Piece>& pieces = m_soFar.pieces;
    if (m_soFar.events++ % m_soFar.eventsAPiece == 0) {
        if (pieces.size() == kMostPieces) {
            for (std::size_t i = 0; i < pieces.size() / 2; ++i)
                pieces[i] = {std::min(pieces[2 * i].lowest, pieces[2 * i + 1].lowest),
                             std::max(pieces[2 * i].highest, pieces[2 * i + 1].highest)};
            pieces.resize(pieces.size() / 2);
            m_soFar.eventsAPiece *= 2;
        }
        pieces.push_back({m_now, m_now});
    }
    pieces.back().lowest = std::min(pieces.back().lowest, m_now);
    pieces.back().highest = std::max(pieces.back().highest, m_now);
    m_soFar.atLeastBefore = std::max(m_soFar.atLeastBefore, -m_now);
}

} // namespace peakscope
