// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A Python program, unchanged, on the devices of this machine, with every allocation of its PyTorch recorded by the
// probe that its own Python loads (packaging/python/peakscope/attach.py). docs/record.md.
#pragma once

#include "core/recording/live_recording.h"
#include "core/recording/program_process.h"
#include "core/results/run_result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace peakscope {

struct RecordedProgram {
    std::vector<std::string> command; // the program and its arguments
    std::string device = "auto";      // "auto": what the program finds; "cpu": CUDA is hidden; "cuda:N": one card
    std::int64_t steps = 0;           // then it is ended; 0: it ends by itself
    bool strict = false;              // it ends where it can't be recorded
    bool operators = true;            // else bytes have no operator, and no module in backward
    bool stacks = false;              // whole ones, else the line of the program's that is at work
    std::int64_t budgetBytes = 0;     // that each process may take of a card, or of the processor's memory; 0: all
    bool printsOnErrors = false;      // what it prints goes to standard error: standard output is for events
};

// Runs it to its end in this process's streams, as waitForProgram; what it wrote is read into `recording`, whose folder
// is given. `look` is called some fifty times a second. BadInput: it can't be started.
Result<ProgramEnd> recordProgram(const RecordedProgram& program, const std::filesystem::path& folder,
                                 LiveRecording& recording, const std::function<void()>& look = {});

// Of the process that held most. BadInput: nothing was recorded, and why as far as it is known.
Result<RunResult> resultOf(const RecordedProgram& program, const ProgramEnd& end, const LiveRecording& recording);

// Of one process that recorded something, as if it had ended well.
RunResult resultOfProcess(const RecordedProgram& program, const ProcessRecording& process);

// Status and message of a program's result: how the program ended, or that it runs still.
void setEnd(RunResult& result, const ProgramEnd& end);
void setRunning(RunResult& result);

// OverBudget where the program ended by itself, unwell, because a request would have passed the budget.
void setOverBudget(RunResult& result, std::int64_t budgetBytes, const ProgramEnd& end, const LiveRecording& recording);

// Why there is no result. `recording`: of its processes; null: nobody looked whether they used PyTorch.
Error nothingRecorded(const std::vector<std::string>& command, const ProgramEnd& end, const LiveRecording* recording,
                      bool dry);

// The same while the program runs.
Result<RunResult> resultSoFar(const RecordedProgram& program, const LiveRecording& recording);

// Of a process that recorded a part of itself (peakscope.record in Python) and said how that ended. BadInput: nothing
// was recorded.
Result<RunResult> resultOfRecording(const LiveRecording& recording);

// BadInput names what is expected: auto, cpu, cuda:N or dry:CARD.
Status checkRecordedDevice(const std::string& device);

} // namespace peakscope
