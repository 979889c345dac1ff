// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words that start peakscope-cli, and those that tell how a process of it ended. Any thread.
#pragma once

#include "app/jobs/job_queue.h"
#include "core/protocol/event.h"

#include <QString>
#include <QStringList>

namespace peakscope {

// $PEAKSCOPE_CLI, else peakscope-cli beside this program, else on the path. Where there is none, the one beside this
// program: starting it fails with a message that names it.
QString commandLineProgram();
// A worker's, behind a launcher where there is one. Through ssh the other machine's own peakscope-cli is meant unless
// $PEAKSCOPE_CLI says otherwise.
QStringList workerCommand(const QStringList& launcher);

// "signal 9", "signal 11, segmentation fault".
QString signalName(int signal);
// EndFate::sentence() in the user's language.
QString fateSentence(const EndFate& end);

// What such a job is called; empty for a run, which has a title of its own.
QString kindTitle(JobKind kind);
// "3 of 8", or a share; empty while nothing is known.
QString howFar(const ProgressEvent& progress);

// The script among the words of a command, else the program itself.
QString scriptOf(const QStringList& command);

} // namespace peakscope
