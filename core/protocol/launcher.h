// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words that start a worker, here or where a launcher (ssh HOST, srun …) leads; the same for the window and for
// the command line.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

// Whether the launcher is ssh: files are those of another machine, and exit status 255 is the connection's.
bool isRemoteLauncher(const std::vector<std::string>& launcher);

// Whether its last word is the program to run where it leads: a path to a peakscope-cli or peakscope-engine.
bool launcherNamesProgram(const std::vector<std::string>& launcher);

// Refuses a launcher out of a result, from which its secrets were taken.
Status checkLauncher(const std::vector<std::string>& launcher);

// The launcher, the program unless the launcher ends in it, and "worker". The program is $PEAKSCOPE_CLI, else
// peakscope-cli by its name behind ssh, else `program`, the one of this machine.
// `ranks` of two and more without a launcher are started on this machine by mpirun.
std::vector<std::string> workerWords(const std::vector<std::string>& launcher, const std::string& program,
                                     std::int64_t ranks = 0);

// What such a worker's environment needs beside this process's own: as root mpirun does nothing without being told so.
std::vector<std::pair<std::string, std::string>> workerVariables(const std::vector<std::string>& words);

// Whether the launcher ends with 128 + N where signal N ended a worker, as shells do. mpirun says so in words and has
// statuses of its own up there.
bool reportsSignals(const std::string& launcher);

// Where the first word is not there to be started: "; the package openmpi-bin brings it", or nothing.
std::string packageOf(const std::string& program);

} // namespace peakscope
