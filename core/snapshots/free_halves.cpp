// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/free_halves.h"

#include <algorithm>

namespace peakscope {

SnapshotAction actionOf(const AllocatorEvent& event, FreeHalves halves)
{
    const bool whole = (event.action == SnapshotAction::FreeCompleted && halves == FreeHalves::Completions) ||
                       (event.action == SnapshotAction::FreeRequested && halves == FreeHalves::Requests);
    return whole ? SnapshotAction::Free : event.action;
}

void FreeHalvesFinder::see(const AllocatorEvent& event)
{
    ++m_events;
    if (m_requests && m_completions)
        return;
    switch (event.action) {
    case SnapshotAction::Alloc:
        m_takenUncompleted |= m_asked.erase(event.address) > 0;
        m_taken.insert(event.address);
        break;
    case SnapshotAction::FreeRequested:
        m_requests = true;
        m_taken.erase(event.address);
        m_asked.insert(event.address);
        break;
    case SnapshotAction::Free:
        m_requests = true;
        m_taken.erase(event.address);
        break;
    case SnapshotAction::FreeCompleted:
        m_completions = true;
        m_completedUnasked |= m_taken.erase(event.address) > 0;
        break;
    default:
        return;
    }
    if (m_requests && m_completions) {
        m_taken = {};
        m_asked = {};
    }
}

FreeHalves FreeHalvesFinder::halves(const std::vector<std::string>& skippedActions) const
{
    const auto skipped = [&skippedActions](SnapshotAction action) {
        return std::find(skippedActions.begin(), skippedActions.end(), name(action)) != skippedActions.end();
    };
    if (m_completions && !m_requests && (m_events == 1 || m_completedUnasked || skipped(SnapshotAction::FreeRequested)))
        return FreeHalves::Completions;
    if (m_requests && !m_completions && (m_takenUncompleted || skipped(SnapshotAction::FreeCompleted)))
        return FreeHalves::Requests;
    return FreeHalves::Both;
}

} // namespace peakscope
