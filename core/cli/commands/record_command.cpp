// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/record_command.h"

#include "core/base/machine.h"
#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/record_course.h"
#include "core/cli/commands/record_here.h"
#include "core/dry/dry_ranks.h"
#include "core/recording/program_recording.h"
#include "core/recording/recording_folder.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

std::string summary(const DryProgram& program, const RunResult& result)
{
    const MemorySection& memory = *result.memory;
    const nlohmann::json& said = result.config["program"];
    const std::int64_t outside = program.device.card.contextBytes;
    std::string text;
    for (const RankSection& rank : result.ranks)
        text += fmt::format("rank {}: peak {} allocated, {} reserved\n", rank.rank, formatBytes(rank.memory->peakBytes),
                            formatBytes(rank.memory->peakReservedBytes));
    text += fmt::format("{}dry on {}: peak {} allocated, {} reserved, {} with the context, of {}; {}, PyTorch {}",
                        said.contains("rank")
                            ? fmt::format("rank {} of {}, ", said["rank"].get<std::int64_t>(), program.place->world)
                            : "",
                        program.device.card.name, formatBytes(memory.peakBytes), formatBytes(memory.peakReservedBytes),
                        formatBytes(memory.peakReservedBytes + outside), formatBytes(program.device.bytes),
                        counted(said["steps"].get<std::int64_t>(), "step"), said["torch"].get<std::string>());
    if (said["out_of_memory"].get<bool>())
        text += "; it ran out of memory";
    if (const auto left = said.value("not_reached", std::vector<std::string>()); !left.empty())
        text += fmt::format("; not reached: {}", joinWords(left, "and"));
    if (memory.peakReservedBytes == 0)
        text += "; it ran on the processor";
    if (!result.message.empty())
        text += "\n" + result.message;
    for (const std::string& note : result.notes)
        text += "\nnote: " + note;
    return text;
}

// The allocator's history beside the result: live, advise, diff and whatif take that.
Status keepSnapshot(Recorded& recorded, const fs::path& beside)
{
    if (recorded.snapshot.empty()) // the program was ended before it was written
        return Done{};
    std::error_code error;
    fs::copy_file(recorded.snapshot, beside, fs::copy_options::overwrite_existing, error);
    if (error)
        return badInput("--out", fmt::format("{} can't be written: {}", beside.string(), error.message()));
    recorded.result.config["program"]["snapshot"] = beside.filename().string();
    return Done{};
}

void tell(const RecordArguments& arguments, const DryProgram& program, const RunResult& result, const std::string& out)
{
    if (arguments.json && out.empty())
        standardOutput().json(toJsonText(result));
    standardError().text(summary(program, result) + "\n");
    tellWhereKept(out, arguments.json && out.empty());
}

// The same of ranks without the others.
int recordedRanks(const RecordArguments& arguments, DryProgram program, const std::string& out, const fs::path& folder,
                  WriteRequests& requests)
{
    const auto ranks = dryRanks(arguments.program.ranks, arguments.program.world);
    if (!ranks)
        return report(ranks.error());
    program.place = DryRank{arguments.program.world, 0, arguments.program.perNode};
    RecordingCourse course(arguments, out);
    if (const Status opened =
            course.open(program.command, {{"steps", program.steps}, {"world", program.place->world}}, ranks->size());
        !opened)
        return report(opened.error());
    const auto begins = [&](std::int64_t rank) {
        course.rankBegins();
        standardError().clearProgress();
        standardError().line(fmt::format("peakscope: rank {} of {}, dry on {}: what the program prints is not a result",
                                         rank, arguments.program.world, program.device.card.name));
    };
    const auto waits = [](const std::string& line) { standardError().line("peakscope: " + line); };
    auto recorded = recordRanks(program, *ranks, folder, begins, waits, course.listener(), [&](const auto& soFar) {
        if (requests.take())
            writeSoFar(out, soFar);
    });
    standardError().clearProgress();
    if (!recorded)
        return course.fail(recorded.error());
    if (recorded->ranks.empty())
        return course.failWithoutRecording(recorded->problem.error(), recorded->end);
    for (RecordedRank& rank : recorded->ranks) {
        if (out.empty() || isStream(out))
            break;
        const std::string ending = recorded->ranks.size() == 1 ? ".pickle" : fmt::format(".rank-{}.pickle", rank.rank);
        if (const Status kept = keepSnapshot(rank.recorded, fs::path(out).replace_extension(ending)); !kept)
            return course.fail(kept.error());
    }
    for (const RecordedRank& rank : recorded->ranks)
        course.rankDone(rank.rank, rank.recorded.result);
    const RunResult result = resultOfRanks(recorded->ranks); // of those before one that recorded nothing, too
    if (!out.empty()) {
        if (const Status saved = saveRunResult(result, out); !saved)
            return course.fail(saved.error());
    }
    tell(arguments, program, result, out);
    if (!recorded->problem)
        return course.fail(recorded->problem.error(), recorded->end, out);
    return course.end(recorded->end, result);
}

// What is for one kind of device alone.
Status checkOptions(const RecordArguments& arguments, bool dry)
{
    if (!dry) {
        if (const Status known = checkRecordedDevice(arguments.device); !known)
            return known;
        if (arguments.device.starts_with("cuda") && !hasNvidiaDriver())
            return badInput("--device", arguments.device + " is not on this machine, which has no NVIDIA driver; give "
                                                          "cpu, or dry:CARD for a stand-in (dry:rtx-4090)");
    }
    const auto refuse = [&](bool given, const char* option, const char* devices) -> Status {
        if (!given)
            return Done{};
        return badInput(option, fmt::format("is for {}, not for {}", devices, arguments.device));
    };
    constexpr const char* kAway = "a card that isn't here (--device dry:CARD)";
    constexpr const char* kHere = "a program on this machine (--device auto, cpu or cuda:N)";
    for (const Status& option :
         {refuse(!dry && arguments.program.world > 0, "--world", kAway),
          refuse(!dry && !arguments.program.ghost.empty(), "--ghost", kAway),
          refuse(!dry && arguments.program.throughEval, "--through-eval", kAway),
          refuse(!dry && arguments.allowSaves, "--allow-saves", kAway),
          refuse(!dry && arguments.noSaves, "--no-saves", kAway), refuse(dry && arguments.strict, "--strict", kHere),
          refuse(dry && arguments.stacks, "--stacks", kHere), refuse(dry && !arguments.ring.empty(), "--ring", kHere),
          refuse(dry && arguments.operators == "off", "--operators", kHere)}) {
        if (!option)
            return option;
    }
    if (const auto steps = ringSteps(arguments); !steps)
        return steps.error();
    if (const auto budget = budgetBytes(arguments); !budget)
        return budget.error();
    return Done{};
}

} // namespace

CLI::App* addRecordCommand(CLI::App& app, RecordArguments& arguments)
{
    CLI::App* command = app.add_subcommand(
        "record", "Record the memory of your own Python program, unchanged, here or on a stand-in of a GPU");
    command->add_option("--device", arguments.device,
                        "auto (default), cpu, cuda:N, or a stand-in: dry:CARD, dry:CARD:BYTES (dry:h100-80gb:95GiB)");
    command->add_option("--out", arguments.out,
                        "The result file. A dry run also writes a CUDA memory snapshot beside it (.pickle)");
    addProgramOptions(*command, arguments.program, "python train.py --batch 8");
    CLI::Option* allow = command->add_flag("--allow-saves", arguments.allowSaves,
                                           "Save to the program's own paths, not to a scratch folder");
    command->add_flag("--no-saves", arguments.noSaves, "Make every save of the program fail")->excludes(allow);
    command->add_flag("--strict", arguments.strict, "Do not run the program if it can't be recorded");
    command->add_flag("--stacks", arguments.stacks, "Record whole Python stacks, not only lines");
    command->add_option("--operators", arguments.operators, "off: do not record operators, for the least cost")
        ->check(CLI::IsMember({"on", "off"}));
    command->add_option(
        "--budget", arguments.budget,
        "End the program where PyTorch would hold more (2e9, 512MiB, 80GiB); the exit status is then 3");
    CLI::Option* ring = command->add_option(
        "--ring", arguments.ring,
        "For long runs: keep only the STEPS steps around the highest peak in full, and one row for every step");
    ring->expected(0, 1)->default_str("3")->type_name("STEPS");
    CLI::Option* read =
        command->add_option("--read", arguments.read,
                            "Read the recording that a program made with import peakscope, instead of running PROGRAM");
    ring->excludes(read);
    command
        ->add_flag("--python-folder", arguments.pythonFolder,
                   "Print the folder to add to PYTHONPATH for import peakscope, and exit")
        ->excludes(read);
    command->get_option("PROGRAM")->required(false)->excludes(read);
    command->add_flag("--progress", arguments.progress,
                      "Show steps and bytes on standard error while the program runs");
    command->add_option(
        "--events", arguments.events,
        "Write events to a file, or - for standard output (the program's output then goes to standard error)");
    command->add_flag("--json", arguments.json, "Print the result as JSON instead of a summary");
    return command;
}

int recordCommand(const RecordArguments& arguments)
{
    if (arguments.pythonFolder)
        return printRecorderFolder();
    if (arguments.read.empty() && arguments.program.command.empty())
        return report(badInput("PROGRAM", "is missing: peakscope-cli record -- python train.py"));
    const std::string out = outputPath(arguments.out);
    if (const Status apart = streamsApart(arguments.events, out, arguments.json && out.empty()); !apart)
        return report(apart.error());
    const bool dry = arguments.device.starts_with("dry:");
    if (const Status possible = checkOptions(arguments, dry); !possible)
        return report(possible.error());
    const auto device = dry ? dryDevice(arguments.device) : Result<DryDevice>(DryDevice{});
    if (!device)
        return report(device.error());
    WriteRequests requests; // from here on, since whoever asks can't know that the program has not begun
    if (const int refused = dry ? askPython(*device, arguments.program.python) : 0)
        return refused;
    if (!out.empty()) {
        if (const Status folder = makeFolderOfFile(out); !folder)
            return report(folder.error());
    }
    if (!arguments.read.empty())
        return readRecording(arguments, out);
    const RecordingFolder folder;
    if (const Status& made = folder.made(); !made)
        return report(made.error());
    if (!dry)
        return recordHere(arguments, out, folder.path(), requests);
    constexpr std::int64_t kDrySteps = 5; // where nothing is said
    const std::int64_t steps = arguments.program.steps > 0 ? arguments.program.steps : kDrySteps;
    DryProgram program{*device, commandOf(arguments.program), steps, arguments.program.ghost};
    program.throughEval = arguments.program.throughEval;
    program.namesBlocks = true;
    if (const auto budget = budgetBytes(arguments))
        program.budgetBytes = *budget;
    program.saves = arguments.allowSaves ? ProgramSaves::Allow
                    : arguments.noSaves  ? ProgramSaves::Refuse
                                         : ProgramSaves::Scratch;
    program.printsOnErrors = EventOutput::isStandardOutput(arguments.events);
    if (arguments.program.world > 0)
        return recordedRanks(arguments, std::move(program), out, folder.path(), requests);
    RecordingCourse course(arguments, out);
    if (const Status opened = course.open(program.command, {{"steps", program.steps}}); !opened)
        return report(opened.error());
    standardError().line(
        fmt::format("peakscope: dry on {}: what the program prints is not a result", device->card.name));
    LiveRecording recording(folder.path(), course.hasEvents() ? course.recordingListener() : LiveRecording::Listener{});
    const auto end = runDryProgram(program, folder.path(), course.listener(), &recording, [&] {
        if (requests.take())
            writeSoFar(out, [&] { return recordedSoFar(program, folder.path(), recording); });
    });
    standardError().clearProgress();
    if (!end)
        return course.fail(end.error());
    auto recorded = recordedProgram(program, *end, folder.path(), &recording);
    if (!recorded)
        return course.failWithoutRecording(recorded.error(), *end);
    if (!out.empty()) {
        const Status kept =
            isStream(out) ? Status(Done{}) : keepSnapshot(*recorded, fs::path(out).replace_extension(".pickle"));
        if (const Status saved = kept ? saveRunResult(recorded->result, out) : kept; !saved)
            return course.fail(saved.error());
    }
    tell(arguments, program, recorded->result, out);
    return course.end(*end, recorded->result);
}

} // namespace peakscope
