// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words that start a worker, here or where a launcher (ssh HOST, srun …) leads; the same for the window and for
// the command line.
#pragma once

#include <string>
#include <vector>

namespace peakscope {

// Whether the launcher is ssh: files are those of another machine, and exit status 255 is the connection's.
bool isRemoteLauncher(const std::vector<std::string>& launcher);

// Whether its last word is the program to run where it leads: a path to a peakscope-cli or peakscope-engine.
bool launcherNamesProgram(const std::vector<std::string>& launcher);

// The launcher, the program unless the launcher ends in it, and "worker". The program is $PEAKSCOPE_CLI, else
// peakscope-cli by its name behind ssh, else `program`, the one of this machine.
std::vector<std::string> workerWords(const std::vector<std::string>& launcher, const std::string& program);

} // namespace peakscope
