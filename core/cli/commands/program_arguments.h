// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `record` and `fit` are told of the program that they run dry. No LibTorch.
#pragma once

#include "core/model/dry_device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace peakscope {

struct ProgramArguments {
    std::int64_t steps = 0; // of an optimiser, then it is ended
    std::string python{};   // empty: it is not looked at before
    std::string ghost{};
    bool throughEval = false;
    std::vector<std::string> command{};
    std::int64_t world = 0; // ranks of which some are run without the others; 0: the program is not told of any
    std::vector<std::int64_t> ranks{0};
    std::int64_t perNode = 8;
};

// --steps, --world and its like, --python, --ghost and PROGRAM with its arguments, of which `example` is one;
// `arguments` must outlive the app.
void addProgramOptions(CLI::App& command, ProgramArguments& arguments, const std::string& example);

// The command; a program without a path that lies beside --python, such as torchrun, is that one.
std::vector<std::string> commandOf(const ProgramArguments& arguments);

// BadInput where the events and the result, or what --json prints, would both go to standard output.
Status streamsApart(const std::string& events, const std::string& out, bool json);

// 0 where the interpreter serves; else what is wrong has been said, and this is the exit status.
int askPython(const DryDevice& device, const std::string& python);

} // namespace peakscope
