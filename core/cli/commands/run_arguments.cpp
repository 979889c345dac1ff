// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/run_arguments.h"

#include "core/base/file.h"
#include "core/base/output_path.h"
#include "core/base/secrets/secrets.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/cli/commands/printing.h"
#include "core/protocol/command_text.h"
#include "core/results/run_result.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>

namespace peakscope {

namespace {

// "--set a=1 b=2": assignments only.
void addAssignments(CLI::App* command, std::vector<std::string>& assignments, const char* what)
{
    command->add_option("--set", assignments, what)->expected(1, 1000);
}

// What is written over is lost.
Status keepsFilesApart(const RunArguments& arguments)
{
    const auto given = [](const std::string& path) { return !path.empty() && path != "-"; };
    for (const auto& [option, path] : {std::pair{"--out", arguments.out}, {"--events", arguments.events}}) {
        if (given(path) && given(arguments.experiment) && isSameFile(path, arguments.experiment))
            return badInput(option, path + " is the experiment itself; give another name");
    }
    if (given(arguments.events) && isSameFile(arguments.out, arguments.events))
        return badInput("--events", arguments.events + " is where the result goes; give another name");
    if (isStandardOutput(arguments.out) && arguments.events == "-")
        return badInput("--events", "the result goes to standard output (--out); give one of them a file");
    if (arguments.resume && isStream(arguments.out))
        return badInput("--resume", "what went to " + outputName(arguments.out) +
                                        " can't be read again; give --out a "
                                        "file");
    return Done{};
}

} // namespace

void takeExperiment(std::string& experiment, std::vector<std::string>& assignments)
{
    const auto file = std::find_if(assignments.begin(), assignments.end(),
                                   [](const std::string& value) { return value.find('=') == std::string::npos; });
    if (experiment.empty() && file != assignments.end()) {
        experiment = *file;
        assignments.erase(file);
    }
}

void settleRunArguments(RunArguments& arguments)
{
    takeExperiment(arguments.experiment, arguments.assignments);
    if (arguments.experiment.empty())
        throw CLI::RequiredError("EXPERIMENT");
    arguments.out = outputPath(arguments.out);
    if (!arguments.events.empty() && isStandardOutput(outputPath(arguments.events)))
        arguments.events = "-";
    if (isStandardOutput(arguments.out))
        sayOnStandardError();
}

CLI::App* addRunCommand(CLI::App& app, RunArguments& arguments)
{
    CLI::App* run = app.add_subcommand("run", "Run one experiment, in a separate process");
    run->add_option("EXPERIMENT", arguments.experiment, "The experiment (JSON), or - for standard input");
    run->add_option("--set", arguments.assignments, "KEY=VALUE …: set keys of the experiment (training.lr=1e-4)")
        ->expected(1, 1000);
    addDeviceOption(*run, arguments.assignments);
    run->add_option("--out", arguments.out, "The result file, or - for standard output")->required();
    run->add_option("--events", arguments.events, "Write events to a file, or - for standard output");
    run->add_option("--budget", arguments.budget, "Memory budget of the run (2e9, 512MiB, 80GiB)");
    run->add_option("--ranks", arguments.ranks, "Number of processes on this machine, started by mpirun (default: one)")
        ->check(CLI::Range(0, 4096));
    run->add_flag("--resume", arguments.resume, "Do nothing if --out already holds this experiment's complete result");
    return run;
}

CLI::App* addReplayCommand(CLI::App& app, ReplayArguments& arguments)
{
    CLI::App* replay = app.add_subcommand(
        "replay",
        "Compare hand-made tables of memory and time with computed values, with the reason for each difference");
    replay
        ->add_option("WHAT", arguments.what,
                     "seeds, dpsgd (seeds 003 and 004 alone), or a hessian_memory_analysis.json")
        ->required();
    replay->add_option("--format", arguments.format, "text, json, csv or latex")
        ->check(CLI::IsMember({"text", "json", "csv", "latex"}));
    replay->add_flag("--json", arguments.json, "Print JSON");
    return replay;
}

CLI::App* addConvertCommand(CLI::App& app, ConvertArguments& arguments)
{
    CLI::App* convert = app.add_subcommand("convert", "Convert results of any format");
    convert->add_option("INPUT", arguments.inputs, "Files or folders of results")->required();
    convert->add_option("--to", arguments.to, "peakscope, csv, latex, summary or chrome-trace")->required();
    convert
        ->add_option("--out", arguments.out, "A file, a folder for several tables or results, or - for standard output")
        ->required();
    addRangeOptions(*convert, arguments.range);
    return convert;
}

CLI::App* addEstimateCommand(CLI::App& app, EstimateArguments& arguments)
{
    CLI::App* estimate = app.add_subcommand("estimate", "Predict the peak memory, by component and phase");
    estimate->add_option("EXPERIMENT", arguments.experiment,
                         "An experiment (JSON), - for standard input, or a model as --model takes it");
    estimate->add_option("--model", arguments.model, "A catalogue id, a Hugging Face folder, or params:6.7e9");
    estimate->add_option("--device", arguments.device, "cpu, cuda:0, a catalogue id (also as dry:ID), or bytes:80GiB");
    estimate->add_option("--devices", arguments.devices, "Number of devices that training.sharding spreads over");
    addAssignments(estimate, arguments.assignments, "KEY=VALUE …: set keys of the experiment (data.batch=8)");
    estimate->add_flag("--prove", arguments.prove, "Run it dry on the card and show what it reserves");
    estimate->add_option("--python", arguments.python, "The Python interpreter for training.loop=transformers or trl");
    estimate->add_flag("--json", arguments.json, "Print JSON");
    estimate->add_option("--format", arguments.format, "table, json, csv or latex");
    return estimate;
}

CLI::App* addRecommendCommand(CLI::App& app, RecommendArguments& arguments)
{
    CLI::App* recommend = app.add_subcommand("recommend", "Rank strategies for a model on a device");
    recommend
        ->add_option("MODEL,--model", arguments.models,
                     "A catalogue id, a Hugging Face folder, or params:6.7e9; repeat --model for several")
        ->allow_extra_args(false)
        ->required();
    recommend->add_option("--device", arguments.device, "cpu, cuda:0, a catalogue id (also as dry:ID), or bytes:80GiB");
    recommend->add_option("--devices", arguments.devices, "Number of devices");
    recommend->add_option("--goal", arguments.goal, "train, hessian, dp-sgd or prm");
    addAssignments(recommend, arguments.assignments, "KEY=VALUE …: keys that every strategy keeps (data.seq=512)");
    const CLI::Range some(1, 1 << 30);
    recommend->add_option("--batch", arguments.batch, "Rows of a step, kept by every strategy")->check(some);
    recommend->add_option("--seq", arguments.seq, "Tokens of a row, kept by every strategy")->check(some);
    recommend->add_option("--step-tokens", arguments.stepTokens, "Tokens of a step, all its passes together")
        ->check(some);
    recommend->add_option("--explain", arguments.explain, "Print why row N ranks where it does, and the ladder");
    recommend->add_option("--save", arguments.save,
                          "Write the experiment of row 1, or of --explain's row, for peakscope-cli run");
    recommend->add_flag("--prove", arguments.prove, "Run each row dry on the card and show what it reserves");
    CLI::Option* program =
        recommend
            ->add_option("--program", arguments.program,
                         "transformers or trl (SFTTrainer): write a Python script for each row, run it dry and show "
                         "what it reserves")
            ->check(CLI::IsMember({"transformers", "trl"}));
    recommend->add_option("--python", arguments.python, "The Python interpreter for the scripts (python)")
        ->needs(program);
    recommend->add_option("--scripts", arguments.scripts, "The folder of the scripts (peakscope-scripts)")
        ->needs(program);
    recommend
        ->add_flag("--paged", arguments.pages,
                   "8-bit optimiser states of the scripts in pages that CUDA moves between card and host")
        ->needs(program);
    recommend->add_flag("--map", arguments.map,
                        "Also print which sequence lengths and batches fit with the first strategy");
    recommend->add_flag("--json", arguments.json, "Print JSON");
    recommend->add_option("--format", arguments.format, "table, json, csv or latex");
    return recommend;
}

void addDeviceOption(CLI::App& command, std::vector<std::string>& assignments)
{
    command.add_option_function<std::string>(
        "--device", [&assignments](const std::string& device) { assignments.push_back("device=" + device); },
        "cpu, cuda:N, or dry:CARD: a stand-in that measures memory and computes nothing");
}

int usageError(const CLI::ParseError& error)
{
    standardError().line(std::string("peakscope-cli: ") + error.what() + "; see peakscope-cli --help");
    return 2;
}

int report(const Error& error)
{
    standardError().line("peakscope-cli: " + error.text());
    return exitStatus(error.code);
}

std::string takeHeldInput()
{
    const char* number = std::getenv(kHeldInput);
    const std::string text = number != nullptr ? number : "";
    ::unsetenv(kHeldInput);
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
        return {};
    if (::fcntl(std::stoi(text), F_SETFD, FD_CLOEXEC) != 0)
        return {};
    return "/proc/self/fd/" + text;
}

void sayLauncher(const std::vector<std::string>& launcher)
{
    if (!launcher.empty())
        printError("peakscope-cli: the worker is started by: {}\n", commandText(commandWithoutSecrets(launcher)));
}

std::string shownName(const RunArguments& arguments)
{
    return arguments.experiment == "-" ? "standard input" : arguments.experiment;
}

Result<Experiment> experimentOfRun(const RunArguments& arguments)
{
    std::vector<std::string> assignments = arguments.assignments;
    if (!arguments.budget.empty()) {
        auto bytes = parseBytes(arguments.budget);
        if (!bytes)
            return badInput("--budget", bytes.error().message);
        assignments.push_back("budget_bytes=" + std::to_string(*bytes));
    }
    if (arguments.ranks >= 0)
        assignments.push_back("ranks=" + std::to_string(arguments.ranks));
    const std::string& file = arguments.held.empty() ? arguments.experiment : arguments.held;
    auto experiment = loadExperiment(file, assignments);
    if (!experiment) {
        Error error = experiment.error();
        const std::size_t at = arguments.held.empty() ? std::string::npos : error.context.find(arguments.held);
        if (at != std::string::npos)
            error.context.replace(at, arguments.held.size(), shownName(arguments));
        return error;
    }
    if (Status apart = keepsFilesApart(arguments); !apart)
        return apart.error();
    if (Status made = makeFolderOfFile(arguments.out); !made)
        return made.error();
    return experiment;
}

bool alreadyComplete(const RunArguments& arguments, const Experiment& experiment)
{
    if (!arguments.resume)
        return false;
    // A finished run of the same experiment needs no second. (A memory run has nothing to take up in its middle; the
    // other kinds go on from their progress file.)
    auto earlier = loadRunResult(arguments.out);
    const bool fitted = earlier && earlier->other.value("fit_asked", nlohmann::json()) == experiment.document;
    if (!earlier || earlier->status != RunStatus::Complete || (!fitted && earlier->config != experiment.document))
        return false;
    standardOutput().line(arguments.out + " is already complete");
    return true;
}

} // namespace peakscope
