// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `record`: a program of one's own, unchanged, on a stand-in of a CUDA card. No LibTorch.
#pragma once

#include "core/dry/dry_device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace peakscope {

// What commands that run a program dry are told of it.
struct ProgramArguments {
    std::string python; // empty: it is not looked at before
    std::string ghost;
};

struct RecordArguments {
    std::string device;
    std::string out; // of the result; empty: none is kept
    std::int64_t steps = 5;
    bool allowSaves = false;
    bool json = false;
    ProgramArguments program;
    std::vector<std::string> command;
};

// The subcommand with its options; `arguments` must outlive the app.
// Their options; and 0 where the interpreter serves, else what is wrong has been said.
void addProgramOptions(CLI::App& command, ProgramArguments& arguments);
int askPython(const DryDevice& device, const std::string& python);

CLI::App* addRecordCommand(CLI::App& app, RecordArguments& arguments);

// The exit status is the program's; 2 where it could not be started.
int recordCommand(const RecordArguments& arguments);

} // namespace peakscope
