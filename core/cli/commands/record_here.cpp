// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/record_here.h"

#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/record_course.h"
#include "core/recording/program_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace peakscope {

namespace {

std::string summary(const RunResult& result)
{
    const MemorySection& memory = *result.memory;
    const nlohmann::json& program = result.config["program"];
    std::string text =
        fmt::format("{}: peak {} allocated", result.config["device"].get<std::string>(), formatBytes(memory.peakBytes));
    std::vector<std::pair<std::int64_t, Component>> holders;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (memory.peakComponents[i] > 0)
            holders.emplace_back(memory.peakComponents[i], static_cast<Component>(i));
    }
    std::sort(holders.rbegin(), holders.rend());
    for (std::size_t i = 0; i < holders.size(); ++i)
        text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", name(holders[i].second), formatBytes(holders[i].first));
    const auto steps = program["steps"].get<std::int64_t>();
    text += fmt::format("; {}, PyTorch {}", counted(steps, "step"), program["torch"].get<std::string>());
    if (!result.message.empty())
        text += "\n" + result.message;
    for (const std::string& note : result.notes)
        text += "\nnote: " + note;
    return text;
}

LiveRecording::Listener listenerOf(RecordingCourse& course, const RecordArguments& arguments)
{
    if (!course.isHeard())
        return {};
    const std::int64_t steps = arguments.program.steps;
    return {[&course, steps, last = std::int64_t{-1}](const PhaseMark& mark) mutable {
                course.send(PhaseEvent{mark.phase, mark.step, mark.timeSeconds});
                if (mark.step <= std::exchange(last, mark.step) || mark.step < 1)
                    return;
                const double part = steps > 0 ? static_cast<double>(mark.step) / static_cast<double>(steps) : 0;
                course.send(ProgressEvent{std::min(part, 1.0), std::nullopt, fmt::format("step {}", mark.step),
                                          steps > 0 ? mark.step : 0, steps});
            },
            [&course, shows = arguments.progress, shown = std::int64_t{-1}](const TimelineData& changes,
                                                                            const ProcessRecording& process) mutable {
                course.sendMemory(changes, process);
                if (const std::int64_t step = process.blocks().steps(); shows && step > std::exchange(shown, step))
                    course.show(fmt::format("step {}: {} allocated; at most {}", step,
                                            formatBytes(process.blocks().liveBytes()),
                                            formatBytes(process.blocks().peakBytes())));
            },
            [shows = arguments.progress](const std::string& text) {
                if (!shows)
                    return;
                standardError().clearProgress();
                standardError().line("peakscope: " + text);
            }};
}

// In its file, or printed.
Status keep(const RecordArguments& arguments, const std::string& out, const RunResult& result)
{
    if (!out.empty()) {
        if (const Status saved = saveRunResult(result, out); !saved)
            return saved;
    }
    if (arguments.json && out.empty())
        standardOutput().json(toJsonText(result));
    standardError().text(summary(result) + "\n");
    if (arguments.read.empty()) // else a program's own recording, whose caller says so
        tellWhereKept(out, arguments.json && out.empty());
    return Done{};
}

} // namespace

Result<std::int64_t> ringSteps(const RecordArguments& arguments)
{
    constexpr std::int64_t kMost = 1000;
    if (arguments.ring.empty())
        return 0;
    std::int64_t steps = 0;
    const char* last = arguments.ring.data() + arguments.ring.size();
    const auto [end, error] = std::from_chars(arguments.ring.data(), last, steps);
    if (error != std::errc() || end != last || steps < 1 || steps > kMost)
        return badInput("--ring",
                        fmt::format("{} is not a number of steps to keep, 1 to {} (--ring 3 -- python train.py)",
                                    arguments.ring, kMost));
    return steps;
}

Result<std::int64_t> budgetBytes(const RecordArguments& arguments)
{
    if (arguments.budget.empty())
        return 0;
    const auto bytes = parseBytes(arguments.budget);
    if (!bytes)
        return badInput("--budget", bytes.error().message);
    if (*bytes == 0)
        return badInput("--budget", "0 leaves no memory; give a size such as 512MiB, or leave the option out");
    return bytes;
}

int recordHere(const RecordArguments& arguments, const std::string& out, const std::filesystem::path& folder,
               WriteRequests& requests)
{
    RecordedProgram program{commandOf(arguments.program), arguments.device, arguments.program.steps};
    if (const auto budget = budgetBytes(arguments))
        program.budgetBytes = *budget;
    program.strict = arguments.strict;
    program.operators = arguments.operators != "off";
    program.stacks = arguments.stacks;
    program.printsOnErrors = EventOutput::isStandardOutput(arguments.events);
    RecordingCourse course(arguments, out);
    if (const Status opened = course.open(program.command, {{"steps", program.steps}}); !opened)
        return report(opened.error());
    const auto steps = ringSteps(arguments);
    LiveRecording recording(folder, listenerOf(course, arguments), steps ? *steps : 0);
    const auto end = recordProgram(program, folder, recording, [&] {
        if (requests.take())
            writeSoFar(out, [&] { return resultSoFar(program, recording); });
    });
    standardError().clearProgress();
    if (!end)
        return course.fail(end.error());
    const auto result = resultOf(program, *end, recording);
    if (!result)
        return course.failWithoutRecording(result.error(), *end);
    if (const Status kept = keep(arguments, out, *result); !kept)
        return course.fail(kept.error(), *end);
    return course.end(*end, *result);
}

int readRecording(const RecordArguments& arguments, const std::string& out)
{
    LiveRecording recording(arguments.read, {});
    recording.read(true);
    const auto result = resultOfRecording(recording);
    const Status kept = result ? keep(arguments, out, *result) : Status(result.error());
    return kept ? 0 : report(kept.error());
}

int printRecorderFolder()
{
    const auto folder = recorderFolder();
    if (!folder)
        return report(folder.error());
    standardOutput().text(folder->string() + "\n");
    return 0;
}

} // namespace peakscope
