// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of commands that both programs have, and what both do with arguments alike. No LibTorch.
#pragma once

#include "core/cli/commands/commands.h"
#include "core/experiment/experiment.h"
#include "core/planning/recommend/recommender.h"

#include <functional>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace peakscope {

// The subcommands with their options; `arguments` must outlive the app.
CLI::App* addRunCommand(CLI::App& app, RunArguments& arguments);
CLI::App* addReplayCommand(CLI::App& app, ReplayArguments& arguments);
CLI::App* addConvertCommand(CLI::App& app, ConvertArguments& arguments);
CLI::App* addEstimateCommand(CLI::App& app, EstimateArguments& arguments);
CLI::App* addRecommendCommand(CLI::App& app, RecommendArguments& arguments);

// "--set a=1 b=2 experiment.json": what has no = is not an assignment but the file, where none is named yet.
void takeExperiment(std::string& experiment, std::vector<std::string>& assignments);

// What the words mean; throws CLI::RequiredError where there is no experiment. Standard output is "-" for the events
// and a path for the result, which then has it for itself: from here on the program speaks on standard error.
void settleRunArguments(RunArguments& arguments);

// --device of a command that runs experiments: the key of that name, after what its --set says (added before).
void addDeviceOption(CLI::App& command, std::vector<std::string>& assignments);

// One line on standard error; 2.
int usageError(const CLI::ParseError& error);

// The environment variable by which peakscope-cli tells the engine's program which open file holds an experiment that
// could be read only once.
inline constexpr const char* kHeldInput = "PEAKSCOPE_HELD_INPUT";
// The path of that file; empty where there is none. The processes that are started from here do not inherit it.
std::string takeHeldInput();

// A line on standard error: which command, named by a file, starts a worker. Nothing where there is none.
void sayLauncher(const std::vector<std::string>& launcher);

// What people know the experiment by.
std::string shownName(const RunArguments& arguments);

// The experiment with everything that the arguments set. BadInput also where --out has no folder to go into, and where
// outputs are in each other's way.
Result<Experiment> experimentOfRun(const RunArguments& arguments);

// An experiment that says "fit", fitted to its budget or else to what its device has free; `step` steps further down
// the ladder. `sharing`: ranks of this machine that share what is free.
using Fitter = std::function<Result<FittedExperiment>(const Experiment&, int step, int sharing)>;
// Runs it in a process of its own, from where its events come, and keeps its result. `fitter`: for an experiment that
// fitsHere().
int runCommand(const RunArguments& arguments, const Fitter& fitter);

// Whether this process has to know the machine's memory to run it: behind a launcher the worker does.
inline bool fitsHere(const Experiment& experiment)
{
    return experiment.fit && experiment.launcher.empty();
}

// Whether --out is already this experiment's complete result, as --resume asks; says so on standard output.
bool alreadyComplete(const RunArguments& arguments, const Experiment& experiment);

} // namespace peakscope
