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

struct RecordArguments {
    std::string device;
    std::string out; // of the result; empty: none is kept
    std::int64_t steps = 5;
    bool allowSaves = false;
    bool json = false;
    std::string python; // empty: it is not looked at before
    std::vector<std::string> command;
};

// The subcommand with its options; `arguments` must outlive the app.
// For commands that run a program dry: --python, and 0 where it serves; else what is wrong has been said.
void addPythonOption(CLI::App& command, std::string& python);
int askPython(const DryDevice& device, const std::string& python);

CLI::App* addRecordCommand(CLI::App& app, RecordArguments& arguments);

// The exit status is the program's; 2 where it could not be started.
int recordCommand(const RecordArguments& arguments);

} // namespace peakscope
