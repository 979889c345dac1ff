// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli sweep: a grid over any keys of an experiment, a process a point.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace peakscope {

struct SweepArguments {
    std::string sweep; // SWEEP.json, or - for standard input
    std::string out;   // a folder
    std::vector<std::string> assignments;
    std::string budget;
    std::string events; // a file, or - for standard output
    bool resume = false;
};

CLI::App* addSweepCommand(CLI::App& app, SweepArguments& arguments);
int sweepCommand(const SweepArguments& arguments);

} // namespace peakscope
