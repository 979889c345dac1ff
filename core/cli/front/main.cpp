// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli: what needs no LibTorch is done here, so that it starts at once and takes a few megabytes; all else is
// handed over to peakscope-engine, and its checks to peakscope-selftest.
#include "core/cli/commands/hand_over.h"
#include "core/cli/commands/shared_commands.h"
#include "core/cli/front/synthetic_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>

namespace {

using namespace peakscope;

struct HandedCommand {
    const char* name;
    const char* text; // for --help; each one's own help is the engine's
};

constexpr const char* kReport = "report";

constexpr HandedCommand kHanded[] = {
    {"sweep", "Run a grid over keys of an experiment, each point in a process of its own"},
    {"compare-methods", "Compare all clipping methods on one experiment"},
    {"selftest", kSelftestText},
    {kReport, "Write results as one page for a browser (by the window's program)"},
    {"worker",
     "Run an experiment given as one JSON line on standard input; write events as JSON lines (for other programs)"},
};

// Planning for a device that is not of this machine takes no engine.
bool plansElsewhere(int argc, char** argv)
{
    std::string device;
    for (int i = 2; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--help" || word == "-h")
            return true;
        if (word == "--device" && i + 1 < argc)
            device = argv[i + 1];
        else if (word.rfind("--device=", 0) == 0)
            device = word.substr(word.find('=') + 1);
    }
    return !device.empty() && device != "auto" && device != "cpu" && device.rfind("cuda", 0) != 0;
}

bool has(int argc, char** argv, const std::string& word)
{
    return std::find(argv + std::min(argc, 2), argv + argc, word) != argv + argc;
}

bool isHanded(int argc, char** argv)
{
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "devices") { // the catalogue's are known here, for want of an engine
        const bool catalogue = has(argc, argv, "--catalogue") && tryHandOver(kEngineProgram, argv) != 0;
        return !catalogue && !has(argc, argv, "--help");
    }
    if (name == "estimate" || name == "recommend")
        return !plansElsewhere(argc, argv);
    return std::any_of(std::begin(kHanded), std::end(kHanded),
                       [&name](const HandedCommand& command) { return name == command.name; });
}

// Of this machine's devices only the engine knows; questions about them go there before they get here.
const LocalDevices kNoDevices{[] { return std::vector<LocalDevice>(); },
                              [](const std::string& requested) -> Result<std::string> {
                                  return badInput(
                                      "device", requested + " is a device of this machine; only the engine can use it");
                              }};

// Supervised here, where the experiment needs not be fitted to this machine first; the worker is the engine's. The
// synthetic mode has none.
int runHere(const RunArguments& arguments, int argc, char** argv)
{
    RunArguments own = arguments;
    if (const Status holds = holdInput(own.experiment, own.held); !holds)
        return report(holds.error());
    const auto experiment = experimentOfRun(own);
    if (!experiment)
        return report(experiment.error());
    if (asksForSynthetic(*experiment))
        return syntheticRunCommand(own, *experiment);
    if (fitsHere(*experiment) || (experiment->launcher.empty() && !hasEngine()))
        return handOver(kEngineProgram, argc, argv); // which says what is missing
    (void)takeHeldInput();                           // it was read; the worker is not to inherit it
    calmThreads();
    return runCommand(own, {});
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], kReport) == 0)
        return handToWindow(argc, argv);
    if (isHanded(argc, argv))
        return handOver(isSelftest(argc, argv) ? kSelftestProgram : kEngineProgram, argc, argv);
    CLI::App app("Peakscope on the command line: where the memory of a training step goes.", "peakscope-cli");
    app.set_version_flag("--version", "peakscope-cli " PEAKSCOPE_VERSION);
    app.require_subcommand(1);
    std::function<int()> action;
    RunArguments runArguments;
    addRunCommand(app, runArguments)->callback([&] {
        settleRunArguments(runArguments);
        action = [&] { return runHere(runArguments, argc, argv); };
    });
    SharedCommands shared(kNoDevices);
    shared.addTo(app, action);
    for (const HandedCommand& command : kHanded)
        app.add_subcommand(command.name, command.text);
    return parseAndRun(app, action, argc, argv);
}
