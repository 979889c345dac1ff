// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/program_recording.h"

#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/base/median.h"
#include "core/base/secrets/secrets.h"
#include "core/base/units.h"
#include "core/recording/card_memory.h"
#include "core/recording/kept_steps.h"
#include "core/recording/recorded_memory.h"
#include "core/results/run_instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kCuda = "cuda:";

Result<std::vector<std::string>> environmentOf(const RecordedProgram& program, const fs::path& folder)
{
    const auto python = recorderFolder();
    if (!python)
        return python.error();
    auto variables = ownEnvironment();
    std::string& path = variables["PYTHONPATH"];
    path = path.empty() ? python->string() : python->string() + ":" + path;
    variables["PEAKSCOPE_PROBE"] = folder.string();
    variables["PEAKSCOPE_PROBE_FLAGS"] =
        std::to_string((program.operators ? kProbeOperators : 0) + (program.stacks ? kProbeStacks : kProbeLines));
    variables["PEAKSCOPE_STEPS"] = std::to_string(program.steps);
    variables["PEAKSCOPE_BUDGET"] = std::to_string(program.budgetBytes);
    if (const auto standIns = standInFolder()) // for a PyTorch that came without CUDA's libraries
        variables["PEAKSCOPE_DRY_FOLDER"] = standIns->string();
    if (program.strict)
        variables["PEAKSCOPE_STRICT"] = "1";
    if (program.device == "cpu")
        variables["CUDA_VISIBLE_DEVICES"] = "";
    else if (program.device.starts_with(kCuda))
        variables["CUDA_VISIBLE_DEVICES"] = program.device.substr(kCuda.size());
    return environmentList(variables);
}

std::string saidOf(const ProbeNames& names, const std::string& key)
{
    const auto found = names.said.find(key);
    return found == names.said.end() ? std::string() : found->second;
}

std::optional<std::int64_t> numberOf(const std::string& text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Json librariesOf(const ProbeNames& names)
{
    constexpr std::string_view kLibrary = "library ";
    Json libraries = Json::object();
    for (const auto& [key, value] : names.said) {
        if (key.starts_with(kLibrary))
            libraries[key.substr(kLibrary.size())] = value;
    }
    return libraries;
}

// How long each step took, from its first phase to the next step's.
std::optional<Timing> timingOf(const std::vector<PhaseMark>& phases)
{
    Timing timing;
    double begin = 0;
    std::int64_t step = -1;
    for (const PhaseMark& mark : phases) {
        if (mark.step <= step)
            continue;
        if (step >= 0)
            timing.stepSeconds.push_back(mark.timeSeconds - begin);
        step = mark.step;
        begin = mark.timeSeconds;
    }
    if (timing.stepSeconds.empty())
        return std::nullopt;
    timing.medianStepSeconds = medianOf(timing.stepSeconds).value_or(0);
    return timing;
}

// A Python that is told to ignore its environment, by which the recorder attaches: python -I train.py.
bool ignoresEnvironment(const std::vector<std::string>& command)
{
    if (!fs::path(command.front()).filename().string().starts_with("python"))
        return false;
    for (std::size_t i = 1; i < command.size() && command[i].starts_with('-') && !command[i].starts_with("--"); ++i) {
        if (command[i] == "-c" || command[i] == "-m")
            return false;
        if (command[i].find_first_of("EI") != std::string::npos)
            return true;
    }
    return false;
}

} // namespace

Status checkRecordedDevice(const std::string& device)
{
    if (device == "auto" || device == "cpu")
        return Done{};
    if (device.starts_with(kCuda) && numberOf(device.substr(kCuda.size())).value_or(-1) >= 0)
        return Done{};
    return badInput("--device", device + " is not one of auto, cpu, cuda:N and dry:CARD (dry:h100-80gb)");
}

Result<ProgramEnd> recordProgram(const RecordedProgram& program, const fs::path& folder, LiveRecording& recording,
                                 const std::function<void()>& look)
{
    auto variables = environmentOf(program, folder);
    if (!variables)
        return variables.error();
    ChildStart start{.words = program.command, .environment = std::move(*variables)};
    if (program.printsOnErrors)
        start.output = ChildStream::Errors;
    auto child = ChildProcess::start(start);
    if (!child)
        return badInput("record", child.error().text());
    const ProgramEnd end = waitForProgram(*child, [&] {
        recording.read(false);
        if (look)
            look();
    });
    recording.read(true);
    return end;
}

namespace {

// Of the card that is shown, with what its allocator adds and reserves; of the processor where there is none.
// `window`: of the steps that were kept; null: of all.
MemorySection memoryOf(const ProcessRecording& process, const RecordedWindow* window, RunResult& result)
{
    const ProbeNames& names = process.file.names();
    const RecordedBlocks& blocks = process.blocks();
    const auto card = process.cards.find(blocks.device());
    if (card == process.cards.end())
        return recordedMemory(blocks, names, result.notes, {}, window);
    const bool older = blocks.adoptedBytes() > 0; // of which the allocator's history says nothing
    if (window || older) {
        MemorySection memory = recordedMemory(blocks, names, result.notes, {}, window);
        if (!older)
            memory.peakReservedBytes = card->second.peakReservedBytes;
        result.notes.push_back(fmt::format("bytes are those requested, without what the card's allocator adds{}",
                                           older ? " and reserves" : ""));
        return memory;
    }
    const auto history = historyOf(card->second, names);
    const auto memory =
        history ? cardMemory(blocks, names, *history, result.notes) : Result<MemorySection>(history.error());
    if (!memory) {
        result.notes.push_back("bytes are those requested, without what the allocator adds and reserves: " +
                               memory.error().message);
        return recordedMemory(blocks, names, result.notes);
    }
    result.other["allocator"] = {{"peak_allocated_bytes", memory->peakBytes},
                                 {"peak_reserved_bytes", memory->peakReservedBytes},
                                 {"requested_bytes", history->replay.peak(SnapshotMeasure::Requested).bytes}};
    if (history->replay.lastEnd())
        result.other["out_of_memory"] = true;
    if (const std::int64_t onProcessor = process.devices.front().peakBytes(); onProcessor > 0)
        result.notes.push_back(fmt::format("on the processor PyTorch held {} at most", formatBytes(onProcessor)));
    return *memory;
}

// As PyTorch counts those that the program sees; one that was asked for has the number that was given.
std::string deviceOf(const RecordedProgram& program, int device)
{
    if (device == kProcessor)
        return "cpu";
    return program.device.starts_with(kCuda) ? program.device : fmt::format("{}{}", kCuda, device);
}

} // namespace

RunResult resultOfProcess(const RecordedProgram& program, const ProcessRecording& process)
{
    const ProbeNames& names = process.file.names();
    RunResult result;
    result.id = newRunId();
    result.created = isoTimeUtc();
    result.status = RunStatus::Complete;
    const auto window = keptWindow(process);
    result.memory = memoryOf(process, window ? &*window : nullptr, result);
    result.memory->peakResidentBytes = process.peakResidentBytes;
    if (const auto seconds = ranOutSeconds(process.blocks()))
        result.other[kRanOutKey] = *seconds;
    result.timing = timingOf(result.memory->phases);
    const int number = process.blocks().device();
    const std::string device = deviceOf(program, number);
    result.config = {{"kind", "memory"},
                     {"device", device},
                     {"program",
                      {{"command", commandWithoutSecrets(program.command)},
                       {"components", "recorded"},
                       {"python", saidOf(names, "python")},
                       {"torch", saidOf(names, "torch")},
                       {"cuda", saidOf(names, "cuda")},
                       {"libraries", librariesOf(names)},
                       {"steps", process.blocks().steps()},
                       {"optimizer_steps", numberOf(saidOf(names, "optimizer_steps")).value_or(0)}}}};
    result.environment = {
        {"device", device},
        {"device_name", number == kProcessor ? processorName() : saidOf(names, fmt::format("card {}", number))},
        {"torch", saidOf(names, "torch")}};
    if (window)
        addSteps(result, process, *window);
    for (const std::string& warning : names.warnings)
        result.notes.push_back(warning);
    if (process.file.full())
        result.notes.push_back("the disk was full: what the program did afterwards was not recorded");
    if (process.blocks().adoptedBytes() > 0)
        result.notes.push_back(fmt::format("{} were allocated before the recorder was attached",
                                           formatBytes(process.blocks().adoptedBytes())));
    if (process.blocks().mappedBytes() > 0)
        result.notes.push_back(fmt::format("{} of weights are in mapped files, or in other memory that PyTorch did not "
                                           "allocate; they count as parameters",
                                           formatBytes(process.blocks().mappedBytes())));
    return result;
}

namespace {

// The processes that a launcher told their rank of several, by rank; empty: none.
std::map<std::int64_t, const ProcessRecording*> ranksOf(const LiveRecording& recording)
{
    std::map<std::int64_t, const ProcessRecording*> ranks;
    for (const ProcessRecording& process : recording.processes()) {
        const auto rank = numberOf(saidOf(process.file.names(), "rank"));
        const auto world = numberOf(saidOf(process.file.names(), "world"));
        if (rank && world.value_or(1) > 1 && !process.blocks().empty())
            ranks[*rank] = &process;
    }
    return ranks;
}

void addRanks(RunResult& result, const RecordedProgram& program, const LiveRecording& recording)
{
    const auto ranks = ranksOf(recording);
    if (ranks.empty()) {
        if (recording.processes().size() > 1)
            result.notes.push_back(fmt::format("{} processes of the program used PyTorch; this is the one that held "
                                               "most",
                                               recording.processes().size()));
        return;
    }
    for (const auto& [number, process] : ranks) {
        RunResult own = resultOfProcess(program, *process);
        RankSection section;
        section.rank = number;
        section.device = own.config["device"].get<std::string>();
        section.memory = std::move(own.memory);
        section.timing = std::move(own.timing);
        result.ranks.push_back(std::move(section));
        if (process == recording.fullest())
            result.notes.push_back(
                fmt::format("memory: that of rank {}, the highest peak of {} ranks", number, ranks.size()));
    }
}

} // namespace

Result<RunResult> resultSoFar(const RecordedProgram& program, const LiveRecording& recording)
{
    const ProcessRecording* process = recording.fullest();
    if (!process || process->blocks().empty())
        return badInput("record", "nothing was recorded so far");
    RunResult result = resultOfProcess(program, *process);
    addRanks(result, program, recording);
    setRunning(result);
    return result;
}

Result<RunResult> resultOf(const RecordedProgram& program, const ProgramEnd& end, const LiveRecording& recording)
{
    auto made = resultSoFar(program, recording);
    if (!made)
        return nothingRecorded(program.command, end, &recording, false);
    RunResult result = std::move(*made);
    setEnd(result, end);
    setOverBudget(result, program.budgetBytes, end, recording);
    return result;
}

void setRunning(RunResult& result)
{
    result.status = RunStatus::Interrupted;
    result.message = "the program was still running";
}

void setEnd(RunResult& result, const ProgramEnd& end)
{
    result.status = RunStatus::Complete;
    result.message.clear();
    if (end.signal == SIGTERM || end.signal == SIGINT || end.signal == SIGHUP) {
        result.status = RunStatus::Interrupted;
        result.message = "the program was stopped";
    } else if (end.status() != 0) {
        result.status = RunStatus::Failed;
        result.message = end.signal ? fmt::format("the program was ended by signal {}", end.signal)
                                    : fmt::format("the program ended with status {}", end.exitCode);
    }
}

namespace {

// The request that a process could not go on without. A card that was full refuses by itself.
const RecordedBlocks::Refusal* refusalByBudget(const ProcessRecording& process)
{
    if (!process.file.names().said.contains("out_of_memory"))
        return nullptr;
    for (const RecordedBlocks& blocks : process.devices) {
        const auto& refusal = blocks.ranOut();
        if (refusal && (blocks.device() == kProcessor || refusal->freeBytes >= refusal->bytes))
            return &*refusal;
    }
    return nullptr;
}

} // namespace

void setOverBudget(RunResult& result, std::int64_t budgetBytes, const ProgramEnd& end, const LiveRecording& recording)
{
    if (budgetBytes <= 0)
        return;
    result.config["budget_bytes"] = budgetBytes;
    if (end.status() == 0)
        return;
    for (const ProcessRecording& process : recording.processes()) {
        const RecordedBlocks::Refusal* refusal = refusalByBudget(process);
        if (!refusal)
            continue;
        result.status = RunStatus::OverBudget;
        result.message =
            fmt::format("over the budget of {}: {} more were requested while {} were allocated",
                        formatBytes(budgetBytes), formatBytes(refusal->bytes), formatBytes(refusal->liveBytes));
        if (const std::string place = placeText(process.file.names(), refusal->place); !place.empty())
            result.message += ", at " + place;
        return;
    }
}

Error nothingRecorded(const std::vector<std::string>& command, const ProgramEnd& end, const LiveRecording* recording,
                      bool dry)
{
    const std::string refusal = recording ? recording->refusal() : std::string();
    std::string why = dry ? "the program took no memory of a CUDA device by PyTorch"
                          : "the program used PyTorch, which allocated nothing";
    if (ignoresEnvironment(command))
        why = "Python's options -E and -I keep the recorder from attaching; leave them out";
    else if (end.status() != 0)
        why = fmt::format("the program ended with status {}", end.status());
    else if (!refusal.empty() && !dry) // a dry run needs the recorder for components only
        why = "the recorder could not be attached: " + refusal;
    else if (recording && recording->processes().empty() && refusal.empty())
        why = "the program did not import PyTorch, or did so in a process that it forked, which is not recorded";
    return badInput("record", "nothing was recorded: " + why);
}

Result<RunResult> resultOfRecording(const LiveRecording& recording)
{
    const ProcessRecording* process = recording.fullest();
    if (!process || process->blocks().empty())
        return badInput("record", "nothing was recorded: no tensor in the processor's memory was there or was made");
    const ProbeNames& names = process->file.names();
    RecordedProgram program;
    const Json command = Json::parse(saidOf(names, "command"), nullptr, false);
    for (const Json& word : command.is_array() ? command : Json::array()) {
        if (word.is_string())
            program.command.push_back(word.get<std::string>());
    }
    RunResult result = resultOfProcess(program, *process);
    const std::string exception = saidOf(names, "exception");
    if (exception == "KeyboardInterrupt") {
        result.status = RunStatus::Interrupted;
        result.message = "the recorded block was stopped";
    } else if (!exception.empty()) {
        result.status = RunStatus::Failed;
        result.message = fmt::format("the recorded block ended with {}", exception);
    }
    return result;
}

} // namespace peakscope
