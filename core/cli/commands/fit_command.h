// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `fit`: the largest value of a program's argument that fits cards that aren't here. No LibTorch.
#pragma once

#include "core/cli/commands/program_arguments.h"

#include <string>
#include <vector>

namespace peakscope {

struct FitArguments {
    std::vector<std::string> devices;
    std::vector<std::string> vary; // NAME=FIRST..LAST, NAME=A,B,C
    std::vector<std::string> variables;
    double target = 0.95;
    std::int64_t draws = 5;
    std::string out;    // of the result; empty: none is kept
    std::string events; // a file, or - for standard output
    bool json = false;
    ProgramArguments program{.steps = 3};
};

// The subcommand with its options; `arguments` must outlive the app.
CLI::App* addFitCommand(CLI::App& app, FitArguments& arguments);

int fitCommand(const FitArguments& arguments);

} // namespace peakscope
