// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/record_command.h"

#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/dry/dry_program.h"
#include "core/dry/recording_folder.h"

#include <CLI/CLI.hpp>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

std::string summary(const DryProgram& program, const RunResult& result)
{
    const MemorySection& memory = *result.memory;
    const nlohmann::json& said = result.config["program"];
    const std::int64_t outside = program.device.card.contextBytes;
    std::string text =
        fmt::format("dry on {}: peak {} allocated, {} reserved, {} with the context, of {}; {} steps, PyTorch {}",
                    program.device.card.name, formatBytes(memory.peakBytes), formatBytes(memory.peakReservedBytes),
                    formatBytes(memory.peakReservedBytes + outside), formatBytes(program.device.bytes),
                    said["steps"].get<std::int64_t>(), said["torch"].get<std::string>());
    if (said["out_of_memory"].get<bool>())
        text += "; it ran out of memory";
    if (!result.message.empty())
        text += "\n" + result.message;
    for (const std::string& note : result.notes)
        text += "\nnote: " + note;
    return text;
}

// The result, and the allocator's history beside it: live, advise, diff and whatif take that.
Status save(RunResult& result, const fs::path& snapshot, const fs::path& out)
{
    if (isStream(out))
        return saveRunResult(result, out);
    const fs::path beside = fs::path(out).replace_extension(".pickle");
    std::error_code error;
    fs::copy_file(snapshot, beside, fs::copy_options::overwrite_existing, error);
    if (error)
        return badInput("--out", fmt::format("{} can't be written: {}", beside.string(), error.message()));
    result.config["program"]["snapshot"] = beside.filename().string();
    return saveRunResult(result, out);
}

} // namespace

CLI::App* addRecordCommand(CLI::App& app, RecordArguments& arguments)
{
    CLI::App* command =
        app.add_subcommand("record", "A Python program of your own, unchanged, on a CUDA card that isn't here");
    command
        ->add_option("--device", arguments.device, "dry:CARD of the catalogue, or dry:CARD:BYTES (dry:h100-80gb:95GiB)")
        ->required();
    command->add_option("--out", arguments.out,
                        "Where the result goes; the allocator's history lies beside it (.pickle)");
    addProgramOptions(*command, arguments.program, "python train.py --batch 8");
    command->add_flag("--allow-saves", arguments.allowSaves, "Lets the program save values that nobody knows");
    command->add_flag("--json", arguments.json, "The result as JSON instead of a summary");
    return command;
}

int recordCommand(const RecordArguments& arguments)
{
    const auto device = dryDevice(arguments.device);
    if (!device)
        return report(device.error());
    if (const int refused = askPython(*device, arguments.program.python))
        return refused;
    const std::string out = outputPath(arguments.out);
    if (!out.empty()) {
        if (const Status folder = makeOutputFolder(out); !folder)
            return report(folder.error());
    }
    const RecordingFolder folder;
    if (const Status& made = folder.made(); !made)
        return report(made.error());
    const DryProgram program{*device, arguments.program.command, arguments.program.steps, arguments.allowSaves,
                             arguments.program.ghost};
    standardError().line(fmt::format("peakscope: dry on {}: what the program prints is no result", device->card.name));
    const auto end = runDryProgram(program, folder.path());
    if (!end)
        return report(end.error());
    auto recorded = recordedProgram(program, *end, folder.path());
    if (!recorded) {
        standardError().line("peakscope-cli: " + recorded.error().text());
        return end->status() ? end->status() : 1;
    }
    if (!out.empty()) {
        if (const Status saved = save(recorded->result, recorded->snapshot, out); !saved)
            return report(saved.error());
    }
    if (arguments.json && out.empty())
        standardOutput().json(toJsonText(recorded->result));
    standardError().text(summary(program, recorded->result) + "\n");
    return end->status();
}

} // namespace peakscope
