// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that take no LibTorch. Each returns an exit status and prints one line on standard error where it fails.
#pragma once

#include "core/base/result.h"
#include "core/cli/commands/snapshot_commands.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct LocalDevices;
struct RunArguments {
    std::string experiment; // a file, or - for standard input
    std::string held;       // where its text lies instead, once something has read it that can be read only once
    std::vector<std::string> assignments; // KEY=VALUE
    std::string out;
    std::string events;      // a file, or - for standard output
    std::string budget;      // bytes, or with a unit
    std::int64_t ranks = -1; // -1: as the experiment says
    bool resume = false;
};

struct ConvertArguments {
    std::vector<std::string> inputs;
    std::string to, out;
    RangeArguments range;
};

struct ReplayArguments {
    std::string what; // "seeds", "dpsgd", or a hessian_memory_analysis.json
    std::string format = "text";
    bool json = false;
};

struct EstimateArguments {
    std::string experiment; // a file of it or "-", in place of a model
    std::string model;
    std::string device; // empty: this machine's first CUDA device, else its CPU
    std::int64_t devices = 1;
    std::vector<std::string> assignments; // KEY=VALUE
    std::string format;                   // table, json, csv, latex; empty: table
    bool json = false;
    bool prove = false; // run it dry on the card
    std::string python; // for "training.loop": "transformers" or "trl"
};

struct RecommendArguments {
    std::vector<std::string> models; // one or several
    std::string device;
    std::int64_t devices = 1;
    std::string goal; // empty: train
    std::vector<std::string> assignments;
    std::string format;
    bool json = false;
    bool map = false; // also what fits over sequence and batch, of one model
    std::int64_t batch = 0, seq = 0; // 0: not said
    std::int64_t stepTokens = 0;     // of a step, all passes together; 0: not said
    std::int64_t explain = 0;        // the row whose reasons are printed; 0: none
    std::string save;                // a file for the experiment of that row, or of the first
    bool prove = false;              // run the rows dry on the card
    std::string program;             // transformers or trl: also a script of each row, run dry; empty: none
    std::string python;              // that runs the scripts; empty: python on the path
    std::string scripts;             // their folder; empty: peakscope-scripts
    bool pages = false;              // 8-bit states of the scripts are paged
};

int estimateCommand(const EstimateArguments& arguments, const LocalDevices& local);
int recommendCommand(const RecommendArguments& arguments, const LocalDevices& local);
int devicesCommand(bool catalogue, bool json, const LocalDevices& local);
// All of the catalogue where no names are given.
int modelsCommand(const std::vector<std::string>& names, bool json);
int inspectCommand(const std::string& path, const RangeArguments& range, bool json);
int convertCommand(const ConvertArguments& arguments);
int replayCommand(const ReplayArguments& arguments);
struct HelpArguments {
    std::string key;
    std::string schema; // experiment, result or sweep: the JSON Schema of such files
    bool markdown = false;
};
// `commands` is what is said of them.
int helpCommand(const std::string& commands, const HelpArguments& arguments);

// "peakscope-cli: sentence" on standard error; returns the exit status that goes with the error.
int report(const Error& error);

} // namespace peakscope
