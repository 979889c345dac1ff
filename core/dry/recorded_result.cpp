// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/secrets/secrets.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/dry/dry_program.h"
#include "core/dry/named_blocks.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/readers.h"
#include "core/model/unknown_sizes.h"
#include "core/recording/program_recording.h"
#include "core/snapshots/snapshot_recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json readJson(const fs::path& path)
{
    const auto text = readTextFile(path);
    Json document = text ? Json::parse(*text, nullptr, false) : Json();
    return document.is_object() ? document : Json::object();
}

std::int64_t reservedOf(const Json& peaks)
{
    return lenient::integer(peaks, "reserved_bytes", 0);
}

// Of a process's peaks, those of the device that reserved most.
Json peaksOf(const Json& said)
{
    const Json devices = said.value("devices", Json::array());
    const auto fullest = std::ranges::max_element(devices, {}, reservedOf);
    return fullest == devices.end() ? Json::object() : *fullest;
}

// Values that the program read back from the card and nobody knew: how many, by operator and line of the program as far
// as the recorder saw them; the stand-in has counted the others by their size.
Json unknownAnswers(const Json& said, const Json& report)
{
    Json answers = said.value("unknown_answers", Json::object());
    const Json within = report.value("unknown_answers", Json::object()); // items() refers to it
    for (const auto& [kind, count] : within.items()) {
        if (count.is_number_integer() && count.get<std::int64_t>() > 0)
            answers["within an operator: " + kind] = count;
    }
    return answers;
}

std::int64_t sumOf(const Json& answers)
{
    std::int64_t sum = 0;
    for (const auto& [place, count] : answers.items())
        sum += count.is_number_integer() ? count.get<std::int64_t>() : 0;
    return sum;
}

// "item at train.py:58: false (20), nonzero at model.py:7: 512 (4) and 3 other places", the most frequent first.
std::string placesOf(const Json& answers)
{
    constexpr std::size_t kNamed = 3;
    std::vector<std::pair<std::int64_t, std::string>> places;
    for (const auto& [place, count] : answers.items())
        places.emplace_back(count.is_number_integer() ? count.get<std::int64_t>() : 0, place);
    std::ranges::sort(places, std::greater<>());
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(places.size(), kNamed); ++i)
        words.push_back(fmt::format("{} ({})", places[i].second, places[i].first));
    if (places.size() > kNamed)
        words.push_back(
            fmt::format("{} other place{}", places.size() - kNamed, places.size() == kNamed + 1 ? "" : "s"));
    return joinWords(words, "and");
}

// Whether its optimiser's steps asked for other bytes, as they do where rows have other lengths. The first makes what
// an optimiser holds, so it is not compared.
bool stepsDiffer(const Json& said)
{
    constexpr double kAlike = 0.001; // of the largest
    const auto after = said.value("requested_after_steps", std::vector<double>());
    std::vector<double> steps(after.size());
    std::adjacent_difference(after.begin(), after.end(), steps.begin());
    if (steps.size() < 3)
        return false;
    const auto [least, most] = std::minmax_element(steps.begin() + 1, steps.end());
    return *most - *least > kAlike * *most;
}

// What NCCL takes beside the allocator, as users of several cards reported it (nccl issues 964, 1685, 2363): no fact of
// the card that is acted out.
std::int64_t communicatorBytes(const Json& report)
{
    constexpr std::int64_t kEach = 700'000'000, kAllToAll = 3'300'000'000;
    return kEach * lenient::integer(report, "communicators", 0) +
           (lenient::integer(report, "all_to_all", 0) > 0 ? kAllToAll : 0);
}

// What the program saved into the scratch folder: how many files, and their bytes.
Json savesIn(const fs::path& folder)
{
    std::int64_t count = 0, bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder / "overlay" / "files", error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unreadable;
        if (!entry->is_regular_file(unreadable) || entry->is_symlink(unreadable))
            continue;
        ++count;
        bytes += static_cast<std::int64_t>(entry->file_size(unreadable));
    }
    return {{"count", count}, {"bytes", bytes}};
}

// A program that made no process group is none, whatever it was asked to be.
bool isRank(const DryProgram& program, const Json& said)
{
    return program.place && said.value("grouped", true);
}

Json programOf(const DryProgram& program, const Json& said, const Json& report)
{
    const Json answers = unknownAnswers(said, report);
    Json own = {
        {"command", commandWithoutSecrets(program.command)},
        {"python", said.value("python", "")},
        {"torch", said.value("torch", "")},
        {"cuda", said.value("cuda", "")},
        {"libraries", said.value("libraries", Json::object())},
        {"steps", said.value("steps", 0)},
        {"optimizer_steps", said.value("optimizer_steps", 0)},
        {"not_reached", said.value("not_reached", std::vector<std::string>())},
        {"steps_differ", stepsDiffer(said)},
        {"batches", said.value("batches", 0)},
        {"longest_row", said.value("longest_row", 0)},
        {"unknown_answers", sumOf(answers)},
        {"unknown_answers_at", answers},
        {"out_of_memory", said.value("out_of_memory", false)},
        {"outside",
         {{"context_bytes", program.device.card.contextBytes}, {"communicator_bytes", communicatorBytes(report)}}}};
    if (isRank(program, said)) {
        own["taken_from_peers_at"] = said.value("taken_from_peers", Json::object());
        own["world"] = program.place->world;
        own["rank"] = program.place->rank;
        own["communicators"] = lenient::integer(report, "communicators", 0);
    }
    return own;
}

std::int64_t deviceOf(const RunResult& result)
{
    return result.recording ? result.recording->replay.device : 0;
}

// Of a process that used several devices, the first of which is shown; empty: it used one.
std::string otherDevicesText(const std::vector<RunResult>& results)
{
    std::vector<std::string> others;
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (results[i].memory)
            others.push_back(
                fmt::format("cuda:{} {}", deviceOf(results[i]), formatBytes(results[i].memory->peakBytes)));
    }
    return others.empty() ? std::string()
                          : fmt::format("cuda:{} is shown; of the other devices the program held at most: {}",
                                        deviceOf(results.front()), fmt::join(others, ", "));
}

// What is known of a program beside its allocator's history.
struct Words {
    Json said = Json::object();   // its own last words
    Json report = Json::object(); // the stand-in's
    Json peaks = Json::object();  // PyTorch's, of the device that has some
    bool last = true;             // false: it did not come to its last words, and others tell what is known of them
};

// Beside its memory.
void describe(RunResult& result, const DryProgram& program, const Words& words, const fs::path& folder)
{
    result.id = newRunId();
    result.created = isoTimeUtc();
    result.config = {{"kind", "memory"},
                     {"device", program.device.name()},
                     {"program", programOf(program, words.said, words.report)}};
    Json& own = result.config["program"];
    if (program.saves == ProgramSaves::Scratch)
        own["saves"] = savesIn(folder);
    for (const char* unknown : {"optimizer_steps", "not_reached", "steps_differ", "batches", "longest_row",
                                "unknown_answers", "unknown_answers_at", "taken_from_peers_at"}) {
        if (!words.last)
            own.erase(unknown);
    }
    result.environment = {{"device", program.device.name()}, {"device_name", program.device.card.name}};
    result.other.erase("source");
    result.other["dry"] = true;
    if (words.said.value("out_of_memory", false))
        result.other["out_of_memory"] = true;
    result.other["allocator"] = {{"peak_allocated_bytes", lenient::integer(words.peaks, "allocated_bytes", 0)},
                                 {"peak_reserved_bytes", lenient::integer(words.peaks, "reserved_bytes", 0)},
                                 {"requested_bytes", lenient::integer(words.peaks, "requested_bytes", 0)},
                                 {"context_bytes", program.device.card.contextBytes},
                                 {"device_total_bytes", program.device.bytes}};
    result.notes.insert(result.notes.begin(),
                        fmt::format("a dry run: the program's own allocator and operators on a stand-in of {}; kernels "
                                    "did nothing, so its output is not a result",
                                    program.device.card.name));
}

void addNotes(RunResult& result, const DryProgram& program, const Words& words)
{
    const auto& [said, report, peaks, last] = words;
    if (reservedOf(peaks) == 0)
        result.notes.push_back("the program put nothing on the card: it ran on the processor");
    for (std::string& warning : said.value("warnings", std::vector<std::string>()))
        result.notes.push_back(std::move(warning));
    const Json answers = unknownAnswers(said, report);
    if (const std::int64_t unknown = sumOf(answers); unknown > 0)
        result.notes.push_back(fmt::format("{} {} read back from the card could not be computed: {}; a size that "
                                           "depends on one uses a fixed value instead",
                                           unknown, unknown == 1 ? "value" : "values", placesOf(answers)));
    if (const auto left = said.value("not_reached", std::vector<std::string>()); !left.empty())
        result.notes.push_back(fmt::format("not reached within the steps: {}; what these take is in no number "
                                           "(--through-eval goes on to one batch of an evaluation and one save)",
                                           joinWords(left, "and")));
    const Json saves = result.config["program"].value("saves", Json::object());
    if (const std::int64_t files = lenient::integer(saves, "count", 0); files > 0)
        result.notes.push_back(
            fmt::format("files saved by the program, without valid values: {}, {}; they were written to a scratch "
                        "folder and deleted (--allow-saves writes them to their paths)",
                        files, formatBytes(lenient::integer(saves, "bytes", 0))));
    if (program.place && !isRank(program, said))
        result.notes.push_back(fmt::format("the program made no process group: it ran as one process on its own, not "
                                           "as a rank of {}",
                                           program.place->world));
    else if (program.place) {
        result.notes.push_back(
            fmt::format("one rank of {}, without the others: they are taken to hold what rank {} holds",
                        program.place->world, program.place->rank));
        const Json taken = said.value("taken_from_peers", Json::object());
        if (const std::int64_t calls = sumOf(taken); calls > 0)
            result.notes.push_back(
                fmt::format("integers from other ranks were replaced in {} {}: {}. An exchange returns this rank's own "
                            "values, a receive a fixed value, so dependent sizes may differ on real cards",
                            calls, calls == 1 ? "call" : "calls", placesOf(taken)));
        if (const std::int64_t bytes = communicatorBytes(report); bytes > 0)
            result.notes.push_back(
                fmt::format("NCCL takes memory of its own beside this, in no number here: about {} for {} "
                            "communicator{}, as users of other cards reported it",
                            formatBytes(bytes), lenient::integer(report, "communicators", 0),
                            lenient::integer(report, "communicators", 0) == 1 ? "" : "s"));
    }
    if (const std::string why = said.value("unfollowed", ""); !why.empty())
        result.notes.push_back("masks and counts on the card were not followed, and read as fixed answers: " + why);
    if (const auto refused = report.value("refused", std::vector<std::string>()); !refused.empty())
        result.notes.push_back(unknownSizesNote(refused));
    if (const auto calls = report.value("at_least", std::vector<std::string>()); !calls.empty()) {
        result.notes.push_back(leastPeakNote(calls));
        result.config["program"]["at_least"] = calls;
    }
}

// The process that reserved most, of those that came to their last words: its file without its ending, and the words.
fs::path fullestOf(const fs::path& folder, Words& words)
{
    fs::path fullest;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".json" || name.ends_with(".report.json"))
            continue;
        const Json one = readJson(entry.path());
        const auto reserved = [](const Json& of) { return reservedOf(peaksOf(of)); };
        if (fullest.empty() || reserved(one) > reserved(words.said)) {
            fullest = entry.path();
            words.said = one;
        }
    }
    if (fullest.empty())
        return fullest;
    fullest.replace_extension();
    words.report = readJson(fs::path(fullest) += ".report.json");
    return fullest;
}

// Of one that did, by its allocator's history.
Result<Recorded> finishedResult(const DryProgram& program, const fs::path& process, Words words, const fs::path& folder,
                                LiveRecording* recording)
{
    const fs::path snapshot = fs::path(process) += ".pickle";
    auto opened = openCudaSnapshot(snapshot);
    if (!opened)
        return opened.error();
    auto results = snapshotResults(std::move(*opened), snapshot.filename().string());
    if (!results)
        return results.error();
    const std::string others = otherDevicesText(*results);
    RunResult& device = results->front();
    if (const Json devices = words.said.value("devices", Json::array());
        deviceOf(device) < static_cast<std::int64_t>(devices.size()))
        words.peaks = devices[static_cast<std::size_t>(deviceOf(device))];
    if (!device.memory) { // it spoke to the card, no more, or its first request was too large
        if (!words.said.value("out_of_memory", false))
            return nothingRecorded(program.command, {.exitCode = 0}, nullptr, true);
        device.memory = emptyMemory();
    }
    Recorded recorded{std::move(device), snapshot};
    RunResult& result = recorded.result;
    recorded.lateEvents = lenient::integer(words.report, "not_ready", 0) > 0;
    describe(result, program, words, folder);
    if (program.namesBlocks) {
        const Status named = nameBlocks(result, snapshot, process, recording);
        result.config["program"]["components"] = named ? "recorded" : "inferred";
        if (!named)
            result.notes.push_back("components are inferred: " + named.error().message);
    }
    if (!others.empty())
        result.notes.push_back(others);
    addNotes(result, program, words);
    return recorded;
}

} // namespace

// Of a program that has not come to its last words: the recorder in its Python was told of the same allocations.
Result<RunResult> recordedSoFar(const DryProgram& program, const fs::path& folder, const LiveRecording& recording)
{
    const ProcessRecording* process = recording.fullest();
    if (!process || process->blocks().device() == kProcessor)
        return badInput("record", "nothing was recorded so far");
    RunResult result = resultOfProcess({.command = program.command}, *process);
    const MemorySection& memory = *result.memory;
    Words words;
    words.last = false;
    for (const char* known : {"python", "torch", "cuda", "libraries", "steps"})
        words.said[known] = result.config["program"][known];
    words.said["out_of_memory"] = result.other.contains("out_of_memory");
    words.peaks = {{"allocated_bytes", memory.peakBytes},
                   {"reserved_bytes", memory.peakReservedBytes},
                   {"requested_bytes", memory.peakRequestedBytes}};
    describe(result, program, words, folder);
    result.config["program"]["components"] = "recorded";
    setRunning(result);
    result.timing.reset(); // of kernels that do nothing
    addNotes(result, program, words);
    result.notes.push_back("PyTorch's own history is missing: it is written when a program ends by itself. So there "
                           "are no lines, no stacks and no snapshot");
    return result;
}

Result<Recorded> recordedProgram(const DryProgram& program, const ProgramEnd& end, const fs::path& folder,
                                 LiveRecording* recording)
{
    Words words;
    const fs::path process = fullestOf(folder, words);
    std::optional<LiveRecording> own;
    if (!recording && program.namesBlocks) {
        recording = &own.emplace(folder, LiveRecording::Listener{});
        recording->read(true);
    }
    Result<Recorded> recorded = nothingRecorded(program.command, end, recording, true);
    if (!process.empty())
        recorded = finishedResult(program, process, words, folder, recording);
    else if (auto result = recording ? recordedSoFar(program, folder, *recording) : Result<RunResult>(recorded.error()))
        recorded = Recorded{std::move(*result), {}};
    if (!recorded)
        return recorded;
    if (!words.said.value("ended_by_steps", false))
        setEnd(recorded->result, end);
    if (recorded->result.other.contains("out_of_memory"))
        recorded->result.status = RunStatus::Failed;
    if (recording)
        setOverBudget(recorded->result, program.budgetBytes, end, *recording);
    return recorded;
}

} // namespace peakscope
