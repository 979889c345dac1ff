// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A Python program, unchanged, on a stand-in of a CUDA card: its own PyTorch, its real allocator and operators, kernels
// that do nothing. It runs in a process of its own; what was recorded lies in a folder afterwards. docs/dry-runs.md.
#pragma once

#include "core/base/enum_words.h"
#include "core/base/result.h"
#include "core/model/dry_device.h"
#include "core/recording/live_recording.h"
#include "core/recording/program_process.h"
#include "core/results/dry_progress.h"
#include "core/results/run_result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// One rank of many, without the others.
struct DryRank {
    std::int64_t world = 1;
    std::int64_t rank = 0;
    std::int64_t perNode = 8;

    std::int64_t cards() const { return perNode < world ? perNode : world; } // that this rank's machine has
};

// How far the card runs behind the host's launches, which decides when memory that another stream used can be used
// again: done at once, by about a thousand launches (what is taken where nothing else is said), or until the host
// waits.
enum class CardPace { AtOnce, Behind, NeverUnasked };

// Where what a program saves goes: to a scratch folder that is laid over its files, where it belongs, or nowhere.
enum class ProgramSaves : std::uint8_t { Scratch, Allow, Refuse };
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<ProgramSaves>{"scratch", "allow", "refuse"};

struct DryProgram {
    DryDevice device;
    std::vector<std::string> command; // the program and its arguments
    std::int64_t steps = 5;           // then it is ended
    std::string ghost{}; // FOLDER or NAME=FOLDER: weights of that config.json's shapes without contents; empty: none
    ProgramSaves saves = ProgramSaves::Scratch;
    bool throughEval = false; // after the steps it goes on to one batch of an evaluation and one save
    std::map<std::string, std::string> variables{}; // of its environment, besides this process's own
    std::optional<DryRank> place{};
    CardPace pace = CardPace::Behind;
    std::int64_t budgetBytes = 0; // of the card, for each process; 0: all of it
    bool printsOnErrors = false; // what it prints goes to standard error: standard output is for events
    bool namesBlocks = false;    // the recorder in its Python says what each block is for
    std::string draw{}; // other rows of its data, as packaging/python/peakscope/draws.py has them; empty: its own
};

// Runs it to its end; it has this process's standard streams. SIGINT reaches both, SIGTERM and SIGHUP are passed on.
// BadInput: it can't be started. Not from several threads. `tells` is called while it runs, from this thread, with how
// far it is; of several processes with the one that reserved most so far. `recording`, of the folder, is read while it
// runs, so that whoever listens there hears of every allocation; null: nobody does. `look` is called after each
// reading.
using ProgressListener = std::function<void(const DryProgress&)>;
Result<ProgramEnd> runDryProgram(const DryProgram& program, const std::filesystem::path& folder,
                                 const ProgressListener& tells = {}, LiveRecording* recording = nullptr,
                                 const std::function<void()>& look = {});

// The status of an interpreter that looked whether the stand-in knows its PyTorch: 0, or 2 and it has said why on
// standard error. BadInput: it can't be started.
Result<int> askDryPython(const DryDevice& device, const std::string& python);

// What its processes left in the folder. The result is that of the process that reserved most; `snapshot` is its file,
// empty where the program was ended before it was written.
struct Recorded {
    RunResult result;
    std::filesystem::path snapshot;
    bool lateEvents = false; // its allocator asked for what the card, running behind, had not come to
};
// BadInput: nothing was recorded, and why as far as it is known. `recording`: as it was read while the program ran.
Result<Recorded> recordedProgram(const DryProgram& program, const ProgramEnd& end, const std::filesystem::path& folder,
                                 LiveRecording* recording = nullptr);

// The same while the program runs, of what was read until now.
Result<RunResult> recordedSoFar(const DryProgram& program, const std::filesystem::path& folder,
                                const LiveRecording& recording);

} // namespace peakscope
