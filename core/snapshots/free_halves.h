// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A free has two halves, the request and its completion, and some histories leave one of them out: the other one stands
// for both then. Part of a replay (snapshot_replay.h); one thread.
#pragma once

#include "core/snapshots/cuda_snapshot.h"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace peakscope {

enum class FreeHalves : std::uint8_t { Both, Requests, Completions };

// Half a free counts as a whole one where the other half is never written.
SnapshotAction actionOf(const AllocatorEvent& event, FreeHalves halves);

// Is shown the events of one history. A buffer that was full may have lost a request alone; what tells that none was
// ever written is a block whose request and completion should both be there. One event is no history (enabled="state"
// leaves its last one): half a free stands for the free there.
class FreeHalvesFinder
{
public:
    void see(const AllocatorEvent& event);
    bool sawRequests() const { return m_requests; }
    FreeHalves halves(const std::vector<std::string>& skippedActions) const;

private:
    std::uint64_t m_events = 0;
    bool m_requests = false, m_completions = false;
    bool m_completedUnasked = false, m_takenUncompleted = false;
    std::unordered_set<std::uint64_t> m_taken, m_asked; // addresses, until both halves were met
};

} // namespace peakscope
