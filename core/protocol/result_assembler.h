// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the result document from the events of a run, so that what a worker had said stays readable when its process
// dies: until a "memory" stage arrives, the section is made from the live memory events.
#pragma once

#include "core/protocol/event.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"

namespace peakscope {

class ResultAssembler
{
public:
    void add(const Event& event);

    bool started() const { return m_started; }
    bool ended() const { return m_ended; }
    bool badInput() const { return m_badInput; }

    // The worker is gone. Without an end event the result becomes "interrupted" with this sentence.
    void workerGone(const std::string& sentence);

    // The result as it stands; "interrupted" while the run goes on.
    RunResult result() const;

    const MemoryTimeline& liveTimeline() const { return m_timeline; }

private:
    RunResult m_result;
    MemoryTimeline m_timeline; // live events; final ones come with the "memory" stage
    MemorySection m_live;      // phases, snapshots and resident peak seen so far
    bool m_started = false;
    bool m_ended = false;
    bool m_badInput = false;
};

} // namespace peakscope
