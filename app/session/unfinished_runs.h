// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs, sweeps and dry programs that a window has not brought to an end: kept in the settings while they wait or go on,
// so that the next start can offer them even after a power cut. Several windows share the settings; each writes under a
// key that says which process it belongs to, and what a living one works at is nobody else's. GUI thread.
#pragma once

#include "app/jobs/job_process.h"

#include <nlohmann/json.hpp>

#include <QString>

#include <optional>
#include <vector>

namespace peakscope {

struct UnfinishedRun {
    QString title;
    nlohmann::json experiment; // null: it is a program, or a sweep, whose file says all of it
    Origin origin = {};        // of the experiment
    QString file = {};         // where its result goes; empty where that is not known
    QStringList words = {};    // of peakscope-cli, for a program that the user wrote here
    QString folder = {};       // where that runs
};

// As kept of a program that runs dry; nothing where its command holds a secret, which is not to be written down.
std::optional<UnfinishedRun> unfinishedProgram(const Job& job);

// A key for a window of this process; another one at every call.
QString newWindowKey();
// Whether the process that made the key still runs, or may run on another machine with the same home folder.
bool windowMayLive(const QString& key);

// Replaces what is kept under `window`. `ended`: the window is about to close and leaves them.
void keepUnfinished(const QString& window, const std::vector<UnfinishedRun>& runs, bool ended);
// What windows left that are gone; from now on it is kept under `window`.
std::vector<UnfinishedRun> takeUnfinished(const QString& window);

// A run outlives a window that was killed: it may still be under way, or have come to its end by itself.
bool isUnderWay(const UnfinishedRun& run);
bool hasEnded(const UnfinishedRun& run);

} // namespace peakscope
