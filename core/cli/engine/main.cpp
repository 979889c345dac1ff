// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-engine: every command of peakscope-cli, with LibTorch. peakscope-cli hands over to it what it cannot do by
// itself, so users see one program. Its checks are a program of their own.
#include "core/cli/commands/hand_over.h"
#include "core/cli/commands/shared_commands.h"
#include "core/cli/engine/compare_methods_command.h"
#include "core/cli/engine/engine_commands.h"
#include "core/cli/engine/fit_here.h"
#include "core/cli/engine/sweep_command.h"
#include "core/engine/cuda/device.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <unistd.h>

using namespace peakscope;

namespace {

// LibTorch takes a tenth of a second and more to take its registries down, as long as to start, and all that this
// program says and writes is out by now. Not where something else waits for the end: a leak check, or a profiler that
// came in with the program.
int leave(int status)
{
#if !defined(__SANITIZE_ADDRESS__)
    if (std::getenv("LD_PRELOAD") == nullptr && std::getenv("CUDA_INJECTION64_PATH") == nullptr) {
        std::fflush(nullptr);
        ::_exit(status);
    }
#endif
    return status;
}

} // namespace

int main(int argc, char** argv)
{
    if (isSelftest(argc, argv))
        return handOver(kSelftestProgram, argc, argv);
    calmThreads();
    CLI::App app("Peakscope on the command line: where the memory of a training step goes.", "peakscope-cli");
    app.set_version_flag("--version", "peakscope-cli " PEAKSCOPE_VERSION);
    app.require_subcommand(1);

    std::function<int()> action;
    RunArguments runArguments;
    runArguments.held = takeHeldInput();
    addRunCommand(app, runArguments)->callback([&] {
        settleRunArguments(runArguments);
        action = [&] { return runCommand(runArguments, fitHere); };
    });
    SweepArguments sweepArguments;
    addSweepCommand(app, sweepArguments)->callback([&] { action = [&] { return sweepCommand(sweepArguments); }; });
    CompareMethodsArguments compareArguments;
    addCompareMethodsCommand(app, compareArguments)->callback([&] {
        action = [&] { return compareMethodsCommand(compareArguments); };
    });
    app.add_subcommand("selftest", kSelftestText); // for --help
    CLI::App* worker = app.add_subcommand(
        "worker",
        "Run an experiment given as one JSON line on standard input; write events as JSON lines (for other programs)");
    worker->callback([&] { action = [] { return workerCommandLoop(); }; });

    SharedCommands shared({localDevices, resolveDevice});
    shared.addTo(app, action);
    return leave(parseAndRun(app, action, argc, argv));
}
