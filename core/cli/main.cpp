// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli: experiments without a window.
#include "core/cli/commands.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>

namespace {

using namespace peakscope;

// Commands of the contract that a later version brings.
constexpr std::array kLaterCommands = {"estimate", "recommend", "sweep", "embed", "convert"};

// LibTorch's OpenMP threads spin for a while after each loop; with a window or another run beside them that costs far
// more than it saves. libgomp reads this before main, so it is set for the worker by whoever starts it.
void calmThreads()
{
    ::setenv("GOMP_SPINCOUNT", "2000", 0);
}

// "--set a=1 b=2 experiment.json": what has no = is not an assignment but the file.
void takeBackExperiment(RunArguments& arguments)
{
    auto& values = arguments.assignments;
    const auto file = std::find_if(values.begin(), values.end(),
                                   [](const std::string& value) { return value.find('=') == std::string::npos; });
    if (arguments.experiment.empty() && file != values.end()) {
        arguments.experiment = *file;
        values.erase(file);
    }
    if (arguments.experiment.empty())
        throw CLI::RequiredError("EXPERIMENT");
}

void addRun(CLI::App& app, RunArguments& arguments, std::function<int()>& action)
{
    CLI::App* run = app.add_subcommand("run", "Run one experiment in a process of its own");
    run->add_option("EXPERIMENT", arguments.experiment, "The experiment (JSON), or - for standard input");
    run->add_option("--set", arguments.assignments, "KEY=VALUE …: a dotted key and JSON, or else a string")
        ->expected(1, 1000);
    run->add_option("--out", arguments.out, "Where the result goes")->required();
    run->add_option("--events", arguments.events, "A copy of the events: a file, or - for standard output");
    run->add_option("--budget", arguments.budget, "Bytes the device's allocator may hand out (2e9, 512MiB, 80GiB)");
    run->add_flag("--resume", arguments.resume, "Do nothing where --out is already this experiment's complete result");
    run->callback([&] {
        takeBackExperiment(arguments);
        action = [&] { return runCommand(arguments); };
    });
}

int usageError(const CLI::ParseError& error)
{
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::fprintf(stderr, "peakscope-cli: %s; see peakscope-cli --help\n", text.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::any_of(kLaterCommands.begin(), kLaterCommands.end(),
                                [&](const char* command) { return std::strcmp(argv[1], command) == 0; })) {
        std::fprintf(stderr,
                     "peakscope-cli: %s: this version does not have this command yet; it has run, devices, "
                     "models, inspect, selftest and worker\n",
                     argv[1]);
        return 2;
    }
    calmThreads();
    CLI::App app("Where the memory of a training step goes: experiments without a window.", "peakscope-cli");
    app.set_version_flag("--version", "peakscope-cli " PEAKSCOPE_VERSION);
    app.require_subcommand(1);

    std::function<int()> action;
    RunArguments runArguments;
    addRun(app, runArguments, action);

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
