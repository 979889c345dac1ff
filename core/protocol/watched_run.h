// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a run from its events so far, in little memory however long it runs: for `peakscope-cli watch`. One
// thread.
#pragma once

#include "core/protocol/event.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

// Bytes of one process. Until its own section comes, the components are the first guesses of its live events.
struct WatchedMemory {
    ComponentBytes live{}, atPeak{};
    std::int64_t liveBytes = 0, peakBytes = 0;
    std::int64_t reservedBytes = 0, peakReservedBytes = 0; // 0: not known
    std::vector<std::pair<double, std::int64_t>> course;   // seconds of the run, most bytes since the one before

    void add(double seconds, std::int64_t bytes, Component component);
    void addTotal(double seconds, std::int64_t bytes);
};

class WatchedRun
{
public:
    // Events after the end event are ignored; a second start of one process begins another run.
    void take(const Event& event);

    bool started() const { return m_started; }
    const std::optional<EndEvent>& end() const { return m_end; }
    // "memory: gpt2 on cpu", "sweep over data.seq: opt-125m on cuda:0"; "run" where no start has come.
    std::string title() const;
    const std::optional<PhaseEvent>& phase() const { return m_phase; } // of several ranks that of rank 0
    const std::optional<ProgressEvent>& progress() const { return m_progress; }
    // The process with the highest peak; nothing where none has told of memory.
    const WatchedMemory* memory() const;
    int fullestRank() const; // of several that have memory; -1: it is the only one
    std::size_t ranks() const { return m_memory.size(); }

    // A sentence each: "seq 24: peak 245 KiB, complete". The last one is that of the last point.
    const std::vector<std::string>& points() const { return m_points; } // no more than kPoints
    std::int64_t pointCount() const { return m_pointCount; }
    const std::vector<std::pair<std::string, std::string>>& estimates() const { return m_estimates; }
    const std::vector<std::string>& notes() const { return m_notes; }

    static constexpr std::size_t kPoints = 5;

private:
    void takeOne(const StartEvent& event, int rank);
    void takeOne(const PhaseEvent& event, int rank);
    void takeOne(const MemoryEvent& event, int rank);
    void takeOne(const SnapshotEvent&, int) {}
    void takeOne(const ProgressEvent& event, int rank);
    void takeOne(const EstimateEvent& event, int rank);
    void takeOne(const PointEvent& event, int rank);
    void takeOne(const StageEvent& event, int rank);
    void takeOne(const EndEvent& event, int rank);
    void addNotes(const std::vector<std::string>& notes);

    std::map<int, bool> m_starts; // by rank
    bool m_started = false;
    nlohmann::json m_config;
    std::optional<PhaseEvent> m_phase;
    std::optional<ProgressEvent> m_progress;
    std::map<int, WatchedMemory> m_memory; // by rank
    std::vector<std::string> m_points, m_notes;
    std::vector<std::pair<std::string, std::string>> m_estimates; // what, and its value
    std::int64_t m_pointCount = 0;
    std::optional<EndEvent> m_end;
};

// The values of a point event as a sentence: what it is of, then its bytes and times, then how it ended.
std::string pointText(const nlohmann::json& values);

} // namespace peakscope
