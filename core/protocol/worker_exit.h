// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What it means that a worker is gone without an end event: its exit status and signals are read here alone, and the
// words are the same for the command line and for the window, which translates them. Any thread.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace peakscope {

struct WorkerFate {
    enum class Kind : std::uint8_t {
        Cancelled,     // stopped at the user's request before it could say so
        Killed,        // by signal 9
        Crashed,       // by another signal
        LauncherEnded, // a signal ended what stood before the worker, or had become it, as env does
        NotStarted,    // there is no such program here
        NoLauncher,    // nor the one that is to start it
        NoProgram,     // a launcher found none where it leads
        NoConnection,  // ssh's own word
        Exited,        // by itself
    };
    static constexpr std::size_t kKinds = 9; // kEnumWords below has their names

    Kind kind = Kind::Exited;
    std::int64_t number = 0; // the signal where one ended it, else the exit status
};

template <>
inline constexpr std::array<std::string_view, WorkerFate::kKinds> kEnumWords<WorkerFate::Kind>{
    "cancelled",   "killed",     "crashed",       "launcher_ended", "not_started",
    "no_launcher", "no_program", "no_connection", "exited"};

// Of the process that was started.
struct ProcessEnd {
    int exitCode = -1;
    int signal = 0; // 0: it exited by itself
    bool cancelled = false;
    bool began = true; // the first word of the command is known to be there, so that 127 is the launcher's
};

// `launcher`: the first word of what stood before the worker; empty: it ran here. Shells and launchers report a worker
// that signal N ended as 128 + N.
WorkerFate fateOf(const ProcessEnd& end, const std::string& launcher);

// A sentence; %1 is the exit status of Exited, the signal of Crashed, the launcher of LauncherEnded (%2: the signal),
// of NoLauncher and of NoProgram (%2: the program).
const char* patternOf(WorkerFate::Kind kind);
// Follows where the last line of standard error tells more: %1.
inline constexpr const char* kLastSaid = "Its last output: %1";
bool lastSaidHelps(WorkerFate::Kind kind);
// "segmentation fault"; nullptr where the number says it all.
const char* signalWords(int signal);

// In English.
std::string sentenceOf(const WorkerFate& fate, const std::string& launcher, const std::string& program,
                       const std::string& last);

} // namespace peakscope
