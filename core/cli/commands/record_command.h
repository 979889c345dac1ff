// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `record`: a program of one's own, unchanged, on this machine or on a stand-in of a CUDA card. No LibTorch.
#pragma once

#include "core/cli/commands/program_arguments.h"

#include <string>

namespace peakscope {

struct RecordArguments {
    std::string device = "auto";
    std::string out;         // of the result; empty: none is kept
    bool allowSaves = false; // else they go to a scratch folder
    bool noSaves = false;
    bool strict = false;
    bool stacks = false;
    std::string budget{}; // of each process; empty: none
    std::string ring{}; // of a long run so many steps are kept; empty: all
    std::string operators = "on";
    bool progress = false;
    bool json = false;
    std::string read;           // a folder that a program recorded into by itself; empty: PROGRAM is run
    bool pythonFolder = false;  // print where `import peakscope` is found
    std::string events;         // a file, or - for standard output
    ProgramArguments program{}; // steps 0: not said
};

// The subcommand with its options; `arguments` must outlive the app.
CLI::App* addRecordCommand(CLI::App& app, RecordArguments& arguments);

// The exit status is the program's; 2 where it could not be started.
int recordCommand(const RecordArguments& arguments);

} // namespace peakscope
