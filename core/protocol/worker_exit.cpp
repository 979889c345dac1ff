// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/worker_exit.h"

#include "core/protocol/launcher.h"

#include <csignal>
#include <initializer_list>

namespace peakscope {
namespace {

constexpr int kNotFound = 127;
constexpr int kSshFailed = 255; // its own status, also where a signal ended the program there
constexpr int kMostSignals = 64;

std::string filled(std::string text, std::initializer_list<std::string> values)
{
    int number = 0;
    for (const std::string& value : values) {
        const std::string holder = "%" + std::to_string(++number);
        if (const std::size_t at = text.find(holder); at != std::string::npos)
            text.replace(at, holder.size(), value);
    }
    return text;
}

std::string signalText(std::int64_t signal)
{
    const char* words = signalWords(static_cast<int>(signal));
    return "signal " + std::to_string(signal) + (words != nullptr ? std::string(", ") + words : "");
}

} // namespace

WorkerFate fateOf(const ProcessEnd& end, const std::string& launcher)
{
    using Kind = WorkerFate::Kind;
    const bool there = !launcher.empty();
    const bool reported = there && end.signal == 0 && reportsSignals(launcher) && end.exitCode > 128 &&
                          end.exitCode <= 128 + kMostSignals;
    const int signal = reported ? end.exitCode - 128 : end.signal;
    if (end.cancelled)
        return {Kind::Cancelled, signal > 0 ? signal : end.exitCode};
    if (signal > 0)
        return {there && !reported ? Kind::LauncherEnded : signal == SIGKILL ? Kind::Killed : Kind::Crashed, signal};
    if (end.exitCode == kNotFound && (there || !end.began))
        return {end.began ? Kind::NoProgram : there ? Kind::NoLauncher : Kind::NotStarted, end.exitCode};
    if (end.exitCode == kSshFailed && there && isRemoteLauncher({launcher}))
        return {Kind::NoConnection, end.exitCode};
    return {Kind::Exited, end.exitCode};
}

const char* patternOf(WorkerFate::Kind kind)
{
    static constexpr std::array<const char*, WorkerFate::kKinds> kWords{
        "Stopped on request; what was measured until then is kept.",
        "The worker was killed (signal 9); often the system's out-of-memory killer. Use a smaller batch, sequence or "
        "model, or set a memory budget.",
        "The worker crashed (%1); what was measured until then is kept.",
        "The launcher %1, or the worker it turned into, was ended by %2; what came until then is kept.",
        "The worker could not be started.",
        "The launcher %1 could not be started; correct it, or leave it out to run on this machine.",
        "The launcher %1 did not find %2 where it runs; install it there, or set PEAKSCOPE_CLI to its path.",
        "The connection to the other machine failed or was lost, or the worker there was killed; what came until then "
        "is kept.",
        "The worker left with exit status %1 before the run was finished.",
    };
    return kWords[static_cast<std::size_t>(kind)];
}

bool lastSaidHelps(WorkerFate::Kind kind)
{
    return kind != WorkerFate::Kind::Cancelled && kind != WorkerFate::Kind::Killed &&
           kind != WorkerFate::Kind::NoProgram;
}

const char* signalWords(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "segmentation fault";
    case SIGABRT:
        return "aborted";
    case SIGBUS:
        return "bus error: a mapped file shrank or its disk failed";
    case SIGILL:
        return "illegal instruction: built for another processor";
    case SIGFPE:
        return "arithmetic error";
    case SIGTERM:
        return "terminated from outside";
    default:
        return nullptr;
    }
}

std::string sentenceOf(const WorkerFate& fate, const std::string& launcher, const std::string& program,
                       const std::string& last)
{
    using Kind = WorkerFate::Kind;
    const std::string words = patternOf(fate.kind);
    std::string text = fate.kind == Kind::LauncherEnded ? filled(words, {launcher, signalText(fate.number)})
                       : fate.kind == Kind::NoProgram   ? filled(words, {launcher, program})
                       : fate.kind == Kind::NoLauncher  ? filled(words, {launcher})
                       : fate.kind == Kind::Crashed     ? filled(words, {signalText(fate.number)})
                                                        : filled(words, {std::to_string(fate.number)});
    if (!last.empty() && lastSaidHelps(fate.kind))
        text += " " + filled(kLastSaid, {last});
    return text;
}

} // namespace peakscope
