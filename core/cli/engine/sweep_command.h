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
    std::int64_t workers = 1;       // processes here that share the points
    std::vector<std::string> hosts; // a process for each, which runs its points there
    std::string point;              // 7, or 7-9: these alone
    std::string slurmArray;         // write this script, run nothing
    std::int64_t lostAfter = 60;    // seconds
    std::string member;             // of another sweep process: what that one has called their launch
    std::string host;               // a member's
    std::int64_t seat = 0;          // a member's number on its machine
};

CLI::App* addSweepCommand(CLI::App& app, SweepArguments& arguments);
int sweepCommand(const SweepArguments& arguments);

} // namespace peakscope
