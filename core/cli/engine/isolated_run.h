// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One experiment in a worker process, from start to result, for the commands that run many: sweep, compare-methods.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/protocol/event.h"
#include "core/results/run_result.h"

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

struct IsolatedRun {
    RunResult result;
    bool cancelled = false;    // by a signal to this process
    bool killed = false;       // the worker or one of its ranks, by a signal from outside: often for want of memory
    bool begun = false;        // the worker told of its start
    std::string launcherFault; // where the connection to another machine failed or was lost: why
    bool unusable = false;     // the experiment itself, as the worker found: exit status 2
    std::string hostFault;     // where nothing could begin on another machine, and not for the experiment's sake: why
};

// Every way a worker can end is a result; an error is one of this machine (no process, no pipe).
Result<IsolatedRun> runIsolated(const Experiment& experiment, const std::function<void(const Event&)>& onEvent = {});

// Why this program cannot run it, or must not: its launcher lost a secret. Empty where it can.
std::string whyNotRun(const Experiment& experiment);

} // namespace peakscope
