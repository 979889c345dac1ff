// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep under way: takes the next free point of the folder until none is left, beside other processes that do the
// same, and keeps sweep.json. Where points are timed more than once, those that a process has take turns: a round of
// all of them after another. Which process runs a point is no part of what comes out.
#pragma once

#include "core/base/output_lock.h"
#include "core/base/result.h"
#include "core/cli/engine/sweep_command.h"
#include "core/cli/engine/sweep_workers.h"
#include "core/experiment/sweep_plan.h"
#include "core/protocol/event_output.h"
#include "core/results/sweeps/sweep_folder.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// How this process takes part.
struct SweepPart {
    std::vector<std::size_t> goal;                     // the points that are asked of it; empty: all
    std::string launch;                                // see SweepFolder
    bool resumes = false;                              // what is there already stays
    bool shared = false;                               // with other processes, started with it
    bool speaks = true;                                // about the sweep as a whole, on standard output
    std::vector<std::vector<std::string>> memberWords; // of processes to start
};

class SweepRun
{
public:
    SweepRun(const SweepArguments& arguments, SweepPlan plan, SweepPart part);

    int execute(); // the exit status

private:
    // -- the folder's state
    Status open();
    Status claimStart();
    Status readEarlier(SweepDocument& earlier);
    bool stays(std::size_t index, const SweepPoint& found) const;
    void takeFrom(const SweepDocument& found);
    void adoptPredictions(const SweepDocument& earlier);
    void estimate();
    void tellBlindness() const;
    void chooseWork();
    bool filesThere(const SweepPoint& point) const;
    bool take(std::size_t index, bool opening);
    std::size_t refresh(bool opening = false);
    void readDisk();
    Status save();
    Status saveWhole();

    // -- its points
    Status work();
    Result<std::optional<std::size_t>> choose();
    bool waitsForWitness(std::size_t index) const;
    bool goalReached() const;
    Status runPoint(std::size_t index);
    Status takeTurns();
    Status runRound(std::size_t index, BegunPoint begun);
    Status hold(std::size_t index, BegunPoint begun);
    Status keep(std::size_t index, SweepPoint point);
    void pause();

    // -- what it says
    void announce();
    void tellProgress(std::size_t index, std::int64_t round);
    void tellPoint(std::size_t index);
    double fraction() const;
    std::optional<double> remaining() const;
    std::string progressText(std::size_t index, std::int64_t round) const;
    double pointsDone() const;
    int finish(const Status& worked);

    std::filesystem::path folder() const { return m_arguments.out; }
    std::filesystem::path file() const { return folder() / "sweep.json"; }

    const SweepArguments& m_arguments;
    SweepPlan m_plan;
    SweepPart m_part;
    SweepDocument m_sweep;
    OutputLock m_lock; // of the one that came first
    SweepFolder m_folder;
    SweepWorkers m_members;
    std::vector<bool> m_mayRun;                                  // point -> whether this process may run it
    std::vector<std::size_t> m_order;                            // those that it may, in order
    std::map<std::size_t, std::vector<std::size_t>> m_witnesses; // only those before a point in the whole order
    std::map<std::size_t, BegunPoint> m_held;                    // this process's, of which further rounds wait
    std::map<std::size_t, std::string> m_texts;                  // of finished points, as read or passed over
    std::filesystem::file_time_type m_diskTime;                  // of sweep.json, as written or read last
    EventOutput m_events;
    std::chrono::milliseconds m_pause{0};
    std::size_t m_takenOver = 0;
    bool m_company = false; // another process finished points meanwhile
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

} // namespace peakscope
