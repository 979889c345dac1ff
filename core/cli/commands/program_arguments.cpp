// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/program_arguments.h"

#include "core/base/file.h"
#include "core/base/output_path.h"
#include "core/cli/commands/commands.h"
#include "core/dry/dry_program.h"
#include "core/protocol/event_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace peakscope {

void addProgramOptions(CLI::App& command, ProgramArguments& arguments, const std::string& example)
{
    command
        .add_option("--steps", arguments.steps,
                    fmt::format("End the program after so many training steps ({})",
                                arguments.steps > 0 ? std::to_string(arguments.steps)
                                                    : "default: 5 on a stand-in, else no limit"))
        ->check(CLI::Range(1, 1000000));
    CLI::Option* world =
        command.add_option("--world", arguments.world, "Number of ranks of the job; only those of --rank are run")
            ->check(CLI::Range(1, 1000000));
    command.add_option("--rank", arguments.ranks, "The ranks to run, such as 0,7 (default: 0)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->needs(world);
    command.add_option("--per-node", arguments.perNode, fmt::format("Ranks per machine ({})", arguments.perNode))
        ->check(CLI::Range(1, 1024))
        ->needs(world);
    command.add_option("--python", arguments.python,
                       "The program's Python interpreter. Programs beside it, such as torchrun, are found");
    command.add_flag("--through-eval", arguments.throughEval,
                     "After the steps, continue to one batch of an evaluation and one save");
    command.add_option(
        "--ghost", arguments.ghost,
        "FOLDER or NAME=FOLDER, with a config.json: the program loads this model by its shapes, without weights");
    command
        .add_option("PROGRAM", arguments.command,
                    fmt::format("The program and its arguments, after -- (-- {})", example))
        ->required();
    command.positionals_at_end();
}

std::vector<std::string> commandOf(const ProgramArguments& arguments)
{
    std::vector<std::string> command = arguments.command;
    std::string& program = command.front();
    const std::filesystem::path beside = std::filesystem::path(arguments.python).parent_path() / program;
    std::error_code error;
    if (arguments.python.find('/') != std::string::npos && program.find('/') == std::string::npos &&
        std::filesystem::is_regular_file(beside, error))
        program = beside.string();
    return command;
}

Status streamsApart(const std::string& events, const std::string& out, bool json)
{
    const bool streams = EventOutput::isStandardOutput(events);
    if (!events.empty() && !streams && !out.empty() && isSameFile(events, out))
        return badInput("--events", events + " is where the result goes; give another name");
    if (streams && (json || (!out.empty() && isStandardOutput(out))))
        return badInput("--events", fmt::format("{} goes to standard output; give one of them a file",
                                                json ? "what --json prints" : "the result (--out)"));
    return Done{};
}

int askPython(const DryDevice& device, const std::string& python)
{
    const auto status = python.empty() ? Result<int>(0) : askDryPython(device, python);
    return status ? *status : report(status.error());
}

} // namespace peakscope
