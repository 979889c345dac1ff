// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-engine: every command of peakscope-cli, with LibTorch. peakscope-cli hands over to it what it cannot do by
// itself, so users see one program.
#include "core/cli/commands.h"
#include "core/cli/compare_methods_command.h"
#include "core/cli/embed_command.h"
#include "core/cli/run_arguments.h"
#include "core/cli/sweep_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace {

using namespace peakscope;

// LibTorch's OpenMP threads spin for a while after each loop; with a window or another run beside them that costs far
// more than it saves. libgomp reads this before main, so it is set for the worker by whoever starts it.
void calmThreads()
{
    ::setenv("GOMP_SPINCOUNT", "2000", 0);
}

} // namespace

int main(int argc, char** argv)
{
    calmThreads();
    CLI::App app("Where the memory of a training step goes: experiments without a window.", "peakscope-cli");
    app.set_version_flag("--version", "peakscope-cli " PEAKSCOPE_VERSION);
    app.require_subcommand(1);

    std::function<int()> action;
    RunArguments runArguments;
    addRunCommand(app, runArguments)->callback([&] {
        takeBackExperiment(runArguments);
        action = [&] { return runCommand(runArguments); };
    });
    EstimateArguments estimateArguments;
    addEstimateCommand(app, estimateArguments)->callback([&] {
        action = [&] { return estimateCommand(estimateArguments); };
    });
    RecommendArguments recommendArguments;
    addRecommendCommand(app, recommendArguments)->callback([&] {
        action = [&] { return recommendCommand(recommendArguments); };
    });

    SweepArguments sweepArguments;
    addSweepCommand(app, sweepArguments)->callback([&] { action = [&] { return sweepCommand(sweepArguments); }; });
    CompareMethodsArguments compareArguments;
    addCompareMethodsCommand(app, compareArguments)->callback([&] {
        action = [&] { return compareMethodsCommand(compareArguments); };
    });
    ReplayArguments replayArguments;
    addReplayCommand(app, replayArguments)->callback([&] { action = [&] { return replayCommand(replayArguments); }; });
    EmbedArguments embedArguments;
    addEmbedCommand(app, embedArguments)->callback([&] { action = [&] { return embedCommand(embedArguments); }; });
    bool json = false, catalogue = false;
    std::string file, device = "cpu", only;
    CLI::App* devices = app.add_subcommand("devices", "This machine's devices");
    devices->add_flag("--catalogue", catalogue, "And the catalogue's");
    devices->add_flag("--json", json, "As JSON");
    devices->callback([&] { action = [&] { return devicesCommand(catalogue, json); }; });
    CLI::App* models = app.add_subcommand("models", "The model catalogue with exact parameter counts");
    models->add_flag("--json", json, "As JSON");
    models->callback([&] { action = [&] { return modelsCommand(json); }; });
    CLI::App* inspect = app.add_subcommand("inspect", "What a file is and what it holds");
    inspect->add_option("FILE", file)->required();
    inspect->add_flag("--json", json, "As JSON");
    inspect->callback([&] { action = [&] { return inspectCommand(file, json); }; });
    ConvertArguments convertArguments;
    addConvertCommand(app, convertArguments)->callback([&] {
        action = [&] { return convertCommand(convertArguments); };
    });
    CLI::App* selftest = app.add_subcommand("selftest", "The engine's own checks, a line each");
    selftest->add_option("--device", device, "cpu or cuda:N");
    selftest->add_option("--only", only, "Checks whose name contains this");
    selftest->callback([&] { action = [&] { return selftestCommand(device, only); }; });
    CLI::App* worker = app.add_subcommand("worker", "The isolated runner: an experiment as one JSON line on standard "
                                                    "input, events as JSON lines on standard output");
    worker->callback([&] { action = [] { return workerCommandLoop(); }; });

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        return usageError(error);
    }
    try {
        return action();
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "peakscope-cli: %s\n", exception.what());
        return 1;
    }
}
