// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the result document from the events of a run, so that what a worker had said stays readable when its process
// dies: until a "memory" stage arrives, the section is made from the live memory events. Of several ranks each has its
// own section under "ranks". How estimates narrowed, which no stage tells, is kept under "estimates". One thread at a
// time.
#pragma once

#include "core/protocol/estimate_course.h"
#include "core/protocol/event.h"
#include "core/protocol/live_memory.h"
#include "core/protocol/rank_words.h"
#include "core/results/run_result.h"

#include <map>

namespace peakscope {

class ResultAssembler
{
public:
    // Events after the end event are ignored.
    void add(const Event& event);

    bool started() const { return m_started; }
    bool ended() const { return m_ended; }
    bool badInput() const { return m_badInput; }

    // The worker is gone. Without an end event the result becomes "interrupted" with this sentence, or with one about
    // the rank that its launcher saw die and where that was.
    void workerGone(const std::string& sentence, const std::optional<RankDeath>& death = {});

    // The result as it stands; "interrupted" while the run goes on.
    RunResult result() const;

    // Every live event so far, of several ranks those of rank 0.
    const MemoryTimeline& liveTimeline() const { return firstLive().timeline(); }

private:
    struct Rank {
        LiveMemory live;
        RankSection section;
        bool ended = false;
    };

    void take(const StartEvent& event);
    void take(const PhaseEvent& event) { m_live.take(event); }
    void take(const MemoryEvent& event) { m_live.take(event); }
    void take(const SnapshotEvent& event) { m_live.take(event); }
    void take(const StageEvent& event);
    void take(const EndEvent& event);
    void take(const ProgressEvent&) {}
    void take(const EstimateEvent& event);
    void take(const PointEvent&) {}

    void addOfRank(const Event& event);
    void takeStart(Rank& rank, const StartEvent& event);
    void takeStage(Rank& rank, const StageEvent& event);
    const LiveMemory& firstLive() const; // of several ranks that of rank 0
    double seconds() const { return firstLive().seconds(); }
    RankPosition lastSeen(int rank) const;
    RankSection sectionOf(const Rank& rank) const;
    void addRanks(RunResult& out) const;

    RunResult m_result;
    LiveMemory m_live; // of a run of one process
    std::map<int, Rank> m_ranks;
    EstimateCourse m_course; // the result's "estimates"
    bool m_started = false;
    bool m_ended = false;
    bool m_gone = false;
    bool m_badInput = false;
};

} // namespace peakscope
