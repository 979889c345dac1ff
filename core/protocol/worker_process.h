// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment in a worker process of its own: starts it, reads its events, passes a cancel on, notes how it ended.
// Used by `peakscope-cli run`, which the window starts too, and by the engine's checks. The program is this one where
// it is peakscope-cli, else $PEAKSCOPE_CLI, else peakscope-cli on the path.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/protocol/event.h"
#include "core/protocol/last_words.h"
#include "core/protocol/worker_exit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct WorkerEnd {
    bool started = false;
    int exitCode = -1;              // where it exited by itself
    int signal = 0;                 // where a signal ended it
    bool cancelled = false;         // by an ending signal of this process
    std::string lastErrorLine;      // of its standard error, as LastWords has it
    std::string launcher;           // the first word of what stood before the program; empty: it ran here
    std::optional<RankDeath> death; // of one of several ranks, as their launcher saw it
    WorkerFate fate() const;
    EndFate endFate() const; // for an end event in its place
    // Whether a launcher led nowhere: no such program there, or ssh without a connection. Where nothing had begun, the
    // launcher is what is to be corrected.
    bool launcherFailed() const;
    // One sentence for the user about an end without an end event.
    std::string sentence() const;
};

// Runs until the worker is gone; a launcher that stays on after the worker's last word, because a machine is cut off,
// is ended too. `onEvent` sees every event with the line that told it; other lines are a library's own chatter. The
// ending signals of this process cancel the worker: asked first, ended after 2 s, killed after 4.
using OnWorkerEvent = std::function<void(const Event& event, std::string_view line)>;
Result<WorkerEnd> runWorker(const Experiment& experiment, const OnWorkerEvent& onEvent);

// For a process that runs many workers: from here on an ending signal between two of them does not end it either.
void catchCancel();
bool cancelRequested();

} // namespace peakscope
