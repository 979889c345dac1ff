// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory section that one process's live events make, for as long as its own summary has not come. Used by the
// result assembler, one for each rank.
#pragma once

#include "core/protocol/event.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"

namespace peakscope {

class LiveMemory
{
public:
    void take(const PhaseEvent& event);
    void take(const MemoryEvent& event);
    void take(const SnapshotEvent& event);

    const MemoryTimeline& timeline() const { return m_timeline; }
    const MemorySection& soFar() const { return m_live; } // phases, snapshots, reserved and resident peaks
    double seconds() const { return m_seconds; }          // of the run's clock, as the last event that told it

    // Whether nothing better was said: `told` is the process's own section, and the process may have gone on after it
    // unless it has `ended`.
    bool counts(const std::optional<MemorySection>& told, bool ended) const;
    MemorySection section(const std::optional<MemorySection>& told) const;

private:
    MemoryTimeline m_timeline; // beyond two millions merged, so that a run of any length keeps to bounded memory
    MemorySection m_live;
    double m_seconds = 0;
};

} // namespace peakscope
