// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of peakscope-cli. Each returns an exit status and prints one line on standard error where it fails.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct RunArguments {
    std::string experiment;
    std::vector<std::string> assignments; // KEY=VALUE
    std::string out;
    std::string events; // a file, or - for standard output
    std::string budget; // bytes, or with a unit
    bool resume = false;
};

int runCommand(const RunArguments& arguments);
int workerCommandLoop();
int devicesCommand(bool catalogue, bool json);
int modelsCommand(bool json);
int inspectCommand(const std::string& path, bool json);
int selftestCommand(const std::string& device, const std::string& only);

// "peakscope-cli: sentence" on standard error; returns the exit status that goes with the error.
int report(const Error& error);

} // namespace peakscope
