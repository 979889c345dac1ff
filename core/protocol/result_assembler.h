// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the result document from the events of a run, so that what a worker had said stays readable when its process
// dies: until a "memory" stage arrives, the section is made from the live memory events. How estimates narrowed, which
// no stage tells, is kept under "estimates". One thread at a time.
#pragma once

#include "core/protocol/estimate_course.h"
#include "core/protocol/event.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"

namespace peakscope {

class ResultAssembler
{
public:
    // Events after the end event are ignored.
    void add(const Event& event);

    bool started() const { return m_started; }
    bool ended() const { return m_ended; }
    bool badInput() const { return m_badInput; }

    // The worker is gone. Without an end event the result becomes "interrupted" with this sentence.
    void workerGone(const std::string& sentence);

    // The result as it stands; "interrupted" while the run goes on.
    RunResult result() const;

    // Every live event so far; beyond two millions merged, so that a run of any length keeps to bounded memory.
    const MemoryTimeline& liveTimeline() const { return m_timeline; }

private:
    void take(const StartEvent& event);
    void take(const PhaseEvent& event);
    void take(const MemoryEvent& event);
    void take(const SnapshotEvent& event);
    void take(const StageEvent& event);
    void take(const EndEvent& event);
    void take(const ProgressEvent&) {}
    void take(const EstimateEvent& event);
    void take(const PointEvent&) {}
    bool liveSectionCounts() const; // nothing better than the live events was said
    MemorySection liveSection() const;

    RunResult m_result;
    MemoryTimeline m_timeline; // live events; final ones come with the "memory" stage
    MemorySection m_live;      // phases, snapshots, reserved and resident peaks seen so far
    EstimateCourse m_course;   // the result's "estimates"
    double m_seconds = 0;      // of the run's clock, as the last event that told it
    bool m_started = false;
    bool m_ended = false;
    bool m_gone = false;
    bool m_badInput = false;
};

} // namespace peakscope
