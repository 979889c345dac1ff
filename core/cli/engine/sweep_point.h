// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One round of one point of a sweep: its runs in worker processes, their results as files, and what sweep.json says of
// them.
#pragma once

#include "core/base/result.h"
#include "core/experiment/sweep_plan.h"
#include "core/results/sweeps/sweep_document.h"

#include <filesystem>
#include <functional>
#include <string>

namespace peakscope {

struct PointRun {
    SweepPoint point;
    bool cancelled = false;   // by a signal to this process
    bool killed = false;      // its worker was, from outside
    bool taken = false;       // another process has the point by now: nothing was kept
    bool unreached = false;   // no worker could begin on `host`, whatever the point
    std::string machineFault; // why not, or why `host` is no longer reached: its worker may have been killed, too
};

struct PointPlace {
    std::filesystem::path folder;
    std::string host;             // run there, through ssh; empty: as the experiment says
    std::function<bool()> isMine; // asked before a result is written
};

// Whether a file of a sweep's folder is named as results of points are.
bool isPointFile(const std::string& name);

// Round 0 measures the point's memory, and its time; each further one its time once more. `point` as it was before.
// Errors are those of this machine: no process, no pipe, no room for a file.
Result<PointRun> runSweepRound(const SweepPlan& plan, std::size_t index, const SweepPoint& point, std::int64_t round,
                               const PointPlace& place);

} // namespace peakscope
