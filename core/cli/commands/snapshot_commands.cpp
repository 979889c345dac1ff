// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/snapshot_commands.h"

#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/advise_result.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/live_result.h"
#include "core/cli/commands/printing.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/results/run_instant.h"
#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_diff.h"
#include "core/snapshots/snapshot_document.h"
#include "core/snapshots/snapshot_instant.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// A snapshot at one instant.
struct Instant {
    CudaSnapshot snapshot;
    SnapshotReplay replay;
    std::int64_t event = -1;
    std::vector<SnapshotHolder> holders;
    std::int64_t requestedBytes = 0;
    std::string choice; // of several devices, where none was asked for: which this is, for people
};

Status checkDevice(const CudaSnapshot& snapshot, std::int64_t wanted, const std::string& file)
{
    const std::vector<std::int64_t> devices = snapshot.devices();
    if (devices.empty())
        return badInput(file, "the snapshot is empty: nothing was allocated and no history was recorded");
    if (wanted < 0)
        return Done{};
    if (std::find(devices.begin(), devices.end(), wanted) != devices.end())
        return Done{};
    std::vector<std::string> names;
    for (const std::int64_t device : devices)
        names.push_back(std::to_string(device));
    return badInput("--device", fmt::format("{} has no device {}; it has {}", file, wanted, joinWords(names, "and")));
}

// Of several devices and none was asked for: which is shown, and how to see another.
std::string choiceText(std::span<const SnapshotReplay> replays)
{
    const std::string shown = shownDeviceText(replays);
    return shown.empty() ? shown : shown + "; --device N shows another";
}

void printChoice(const Instant& instant)
{
    if (!instant.choice.empty())
        print("{}\n", instant.choice);
}

// Snapshot and replay of the device that was asked for, else of the worst.
Result<Instant> readDevice(const std::string& file, std::int64_t wanted, const RangeArguments& arguments)
{
    const auto range = rangeOf(arguments);
    if (!range)
        return range.error();
    auto snapshot = *range ? openSnapshotRange(file, **range) : openCudaSnapshot(file);
    if (!snapshot)
        return snapshot.error();
    if (snapshot->truncatedAt)
        printError("peakscope-cli: {} ends too early, at byte {}: only what came before is known\n", file,
                   *snapshot->truncatedAt);
    Instant instant;
    instant.snapshot = std::move(*snapshot);
    if (const Status known = checkDevice(instant.snapshot, wanted, file); !known)
        return known.error();
    if (wanted >= 0) {
        auto replay = replaySnapshot(instant.snapshot, wanted);
        if (!replay)
            return badInput(file, replay.error().text());
        instant.replay = std::move(*replay);
        return instant;
    }
    auto replays = replayDevices(instant.snapshot);
    if (!replays)
        return badInput(file, replays.error().text());
    instant.choice = choiceText(*replays);
    instant.replay = std::move(replays->front());
    return instant;
}

Result<Instant> readInstant(const std::string& file, const SnapshotArguments& arguments)
{
    const auto key = arguments.by.empty() ? HolderKey::Line : fromName<HolderKey>(arguments.by);
    if (!key)
        return badInput("--by", arguments.by + " is not one of " + joinWords(wordsOf(HolderKey::Line), "and"));
    auto read = readDevice(file, arguments.device, arguments.range);
    if (!read)
        return read.error();
    Instant instant = std::move(*read);
    const auto event = snapshotEvent(instant.replay, arguments.at, file);
    if (!event)
        return event.error();
    instant.event = *event;
    instant.holders = snapshotHolders(instant.snapshot, instant.replay, *event, *key);
    for (const SnapshotHolder& holder : instant.holders)
        instant.requestedBytes += holder.requestedBytes;
    return instant;
}

// The allocator's history that a recorded program's result names and that lies beside it; empty: there is none, or what
// is asked for (`by`) is in the result itself.
std::string historyBeside(const std::string& file, std::string_view by = {})
{
    const auto result = readJsonFile(file);
    const Json::json_pointer place("/config/program/snapshot"), owners("/memory/owners");
    if (!result || !result->contains(place) || !result->at(place).is_string())
        return {};
    if (!by.empty() && result->contains(owners / std::string(by)))
        return {};
    const std::filesystem::path name = result->at(place).get<std::string>();
    const std::filesystem::path history = std::filesystem::path(file).parent_path() / name.filename();
    std::error_code error;
    return std::filesystem::is_regular_file(history, error) ? history.string() : std::string();
}

// What is asked for is in the result itself, not in a history beside it.
bool isOfResult(const SnapshotArguments& arguments)
{
    return arguments.by.empty() || arguments.by == name(RunHolderKey::Component) ||
           arguments.by == name(RunHolderKey::Phase) || !fromName<HolderKey>(arguments.by);
}

// What is compared, and of several devices which one it is of.
struct ReadHolders {
    std::vector<SnapshotHolder> holders;
    std::string choice;
};

// Of a snapshot or of a result, whose own history counts where the result doesn't have what is asked for.
Result<ReadHolders> readHolders(const std::string& file, const SnapshotArguments& arguments)
{
    const auto snapshot = holdsCudaSnapshot(file);
    if (!snapshot)
        return snapshot.error();
    const std::string history = *snapshot ? file : historyBeside(file, arguments.by);
    if (history.empty() || (!*snapshot && isOfResult(arguments))) {
        auto holders = holdersInResult(file, arguments);
        return holders ? Result<ReadHolders>({std::move(*holders), {}}) : holders.error();
    }
    auto instant = readInstant(history, arguments);
    return instant ? Result<ReadHolders>({std::move(instant->holders), std::move(instant->choice)}) : instant.error();
}

std::int64_t requestedSum(const std::vector<SnapshotHolder>& holders)
{
    return std::accumulate(holders.begin(), holders.end(), std::int64_t{0},
                           [](std::int64_t sum, const SnapshotHolder& holder) { return sum + holder.requestedBytes; });
}

std::string signedBytes(std::int64_t bytes)
{
    return (bytes > 0 ? "+" : "") + formatBytes(bytes);
}

CLI::App* addDeviceCommand(CLI::App& app, SnapshotArguments& arguments, const char* name, const char* words)
{
    CLI::App* command = app.add_subcommand(name, words);
    command->add_option("--device", arguments.device,
                        "Number of the device (default: the one that ran out of "
                        "memory, else the fullest)");
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

CLI::App* addCommand(CLI::App& app, SnapshotArguments& arguments, const char* name, const char* words, const char* at,
                     const char* by)
{
    CLI::App* command = addDeviceCommand(app, arguments, name, words);
    command->add_option("--at", arguments.at, at);
    command->add_option("--by", arguments.by, by);
    command->add_option("--top", arguments.top, "Rows to show (all)");
    return command;
}

} // namespace

std::size_t shownOf(std::size_t rows, std::int64_t top)
{
    return top > 0 ? std::min(rows, static_cast<std::size_t>(top)) : rows;
}

void addRangeOptions(CLI::App& command, RangeArguments& arguments)
{
    // --events was its name before that was the stream that commands write.
    command.add_option("--range,--events", arguments.range, "CUDA snapshots: only events A to B-1 (A:B)");
    command.add_option(
        "--time", arguments.time,
        "CUDA snapshots: only the time A:B since the first event, in microseconds, or seconds (10s:12s)");
}

Result<std::optional<SnapshotRange>> rangeOf(const RangeArguments& arguments)
{
    if (!arguments.range.empty() && !arguments.time.empty())
        return badInput("--range", "and --time are both given; one of them is a range");
    if (arguments.range.empty() && arguments.time.empty())
        return std::optional<SnapshotRange>();
    const bool timed = arguments.range.empty();
    const auto range = snapshotRange(timed ? arguments.time : arguments.range, timed);
    return range ? Result<std::optional<SnapshotRange>>(*range) : range.error();
}

Status refuseRange(const RangeArguments& arguments, const std::string& file)
{
    if (arguments.range.empty() && arguments.time.empty())
        return Done{};
    return badInput(arguments.range.empty() ? "--time" : "--range",
                    file + " is not a CUDA memory snapshot; only of those can a part be read");
}

CLI::App* addLiveCommand(CLI::App& app, SnapshotArguments& arguments)
{
    CLI::App* live =
        addCommand(app, arguments, "live", "Show what holds the memory of a CUDA snapshot or result at an instant",
                   "peak (default), end, oom, event:N or step:N (its end); of a result also a time in seconds",
                   "snapshots: line (default), stack, component, stream, pool, step, size or age. Results: "
                   "component (default) or phase; recorded programs also module, operator, line or stack (of record "
                   "--stacks)");
    live->add_option("FILE", arguments.file)->required();
    addRangeOptions(*live, arguments.range);
    live->add_option("--rank", arguments.rank, "Results of several ranks: the rank (default: the fullest)");
    return live;
}

CLI::App* addDiffCommand(CLI::App& app, SnapshotArguments& arguments)
{
    CLI::App* diff = addCommand(app, arguments, "diff", "Compare two CUDA snapshots or results at an instant of each",
                                "peak (default), end, oom, event:N or step:N",
                                "line (default), stack, component (inferred), stream, pool, step, size or age");
    diff->add_option("A", arguments.file)->required();
    diff->add_option("B", arguments.other)->required();
    addRangeOptions(*diff, arguments.range);
    return diff;
}

CLI::App* addWhatIfCommand(CLI::App& app, SnapshotArguments& arguments)
{
    CLI::App* whatIf = addDeviceCommand(app, arguments, "whatif",
                                        "Replay the requests of a CUDA snapshot under other allocator settings");
    whatIf->add_option("SNAPSHOT", arguments.file)->required();
    addRangeOptions(*whatIf, arguments.range);
    whatIf->add_option("--allocator", arguments.allocator, "Settings as in PYTORCH_CUDA_ALLOC_CONF")->required();
    whatIf->add_option(
        "--capacity", arguments.capacity,
        "Limit of reserved memory, such as 80GiB (default: that of the recorded out-of-memory error, else none)");
    return whatIf;
}

CLI::App* addAdviseCommand(CLI::App& app, SnapshotArguments& arguments)
{
    CLI::App* advise = addDeviceCommand(
        app, arguments, "advise", "Show what holds the peak of a CUDA snapshot or result, and what would reduce it");
    advise->add_option("FILE", arguments.file)->required();
    addRangeOptions(*advise, arguments.range);
    return advise;
}

int liveCommand(const SnapshotArguments& given)
{
    SnapshotArguments arguments = given;
    const auto snapshot = holdsCudaSnapshot(arguments.file);
    if (!snapshot)
        return report(snapshot.error());
    if (!*snapshot) {
        const std::string history = historyBeside(arguments.file, arguments.by);
        if (history.empty() || arguments.rank >= 0 || isOfResult(arguments))
            return liveInResult(arguments);
        arguments.file = history;
    }
    if (arguments.rank >= 0)
        return report(badInput(
            "--rank",
            arguments.file + " is a CUDA memory snapshot, which is of one rank; --device selects one of its devices"));
    const auto instant = readInstant(arguments.file, arguments);
    if (!instant)
        return report(instant.error());
    const std::size_t shown = shownOf(instant->holders.size(), arguments.top);
    const std::int64_t step = instant->replay.stepOf(instant->event);
    if (arguments.json) {
        Json rows = Json::array();
        for (std::size_t i = 0; i < shown; ++i) {
            const SnapshotHolder& holder = instant->holders[i];
            rows.push_back({{"what", holder.what},
                            {"requested_bytes", holder.requestedBytes},
                            {"block_bytes", holder.bytes},
                            {"blocks", holder.blocks}});
        }
        Json at = {{"event", instant->replay.firstEvent + instant->event}};
        if (!instant->replay.stepEnds.empty())
            at["step"] = step;
        standardOutput().json(dumpJson(Json{{"device", instant->replay.device},
                                            {"history", name(instant->replay.kind)},
                                            {"at", at},
                                            {"requested_bytes", instant->requestedBytes},
                                            {"rows", rows}}));
        return 0;
    }
    printChoice(*instant);
    const bool bound = instant->replay.kind == HistoryKind::Cut;
    print("{}{} requested by {} blocks after event {}{}\n", bound ? "at least " : "",
          formatBytes(instant->requestedBytes), aliveSum(instant->replay, instant->event).blocks,
          instant->replay.firstEvent + instant->event,
          instant->replay.stepEnds.empty() ? std::string() : fmt::format(", in step {}", step));
    for (std::size_t i = 0; i < shown; ++i) {
        const SnapshotHolder& holder = instant->holders[i];
        print("{:>12}  {:>7}  {}\n", formatBytes(holder.requestedBytes), holder.blocks, holder.what);
    }
    if (shown < instant->holders.size())
        print("{:>12}  {:>7}  and {} more\n", "", "", instant->holders.size() - shown);
    return 0;
}

// A result's blocks are told apart by component, a snapshot's by line: beside one another by what both have.
SnapshotArguments asBothAre(SnapshotArguments arguments)
{
    const auto a = holdsCudaSnapshot(arguments.file), b = holdsCudaSnapshot(arguments.other);
    if (arguments.by.empty() && a && b && *a != *b)
        arguments.by = name(HolderKey::Component);
    return arguments;
}

int diffCommand(const SnapshotArguments& given)
{
    const SnapshotArguments arguments = asBothAre(given);
    const auto a = readHolders(arguments.file, arguments), b = readHolders(arguments.other, arguments);
    for (const auto* each : {&a, &b}) {
        if (!*each)
            return report(each->error());
    }
    const std::int64_t sums[] = {requestedSum(a->holders), requestedSum(b->holders)};
    const std::vector<HolderChange> rows = holderChanges(a->holders, b->holders);
    const std::size_t shown = shownOf(rows.size(), arguments.top);
    if (arguments.json) {
        Json list = Json::array();
        for (std::size_t i = 0; i < shown; ++i)
            list.push_back(
                {{"what", rows[i].what}, {"requested_bytes", rows[i].requestedBytes}, {"blocks", rows[i].blocks}});
        standardOutput().json(dumpJson(Json{{"requested_bytes", {sums[0], sums[1]}}, {"rows", list}}));
        return 0;
    }
    for (const auto& [file, read] : {std::pair(&arguments.file, &*a), std::pair(&arguments.other, &*b)}) {
        if (!read->choice.empty())
            print("{}: {}\n", *file, read->choice);
    }
    print("{} and {}: {}\n", formatBytes(sums[0]), formatBytes(sums[1]), signedBytes(sums[1] - sums[0]));
    for (std::size_t i = 0; i < shown; ++i)
        print("{:>12}  {:>10} to {:>10}  {}\n", signedBytes(rows[i].bytes()), formatBytes(rows[i].requestedBytes[0]),
              formatBytes(rows[i].requestedBytes[1]), rows[i].what);
    if (shown < rows.size())
        print("{:>12}  and {} more\n", "", rows.size() - shown);
    return 0;
}

int whatIfCommand(const SnapshotArguments& arguments)
{
    const auto settings = allocatorSettings(arguments.allocator);
    if (!settings)
        return report(settings.error());
    std::optional<std::int64_t> capacity;
    if (!arguments.capacity.empty()) {
        const auto bytes = parseBytes(arguments.capacity);
        if (!bytes || *bytes <= 0)
            return report(badInput("--capacity", arguments.capacity + " is not a number of bytes, such as 80GiB"));
        capacity = *bytes;
    }
    const auto device = readDevice(arguments.file, arguments.device, arguments.range);
    if (!device)
        return report(device.error());
    if (!device->replay.hasPeak())
        return report(badInput(arguments.file, "no history was recorded, so there are no requests to replay"));
    const WhatIf answer = whatIf(device->snapshot, device->replay, *settings, capacity);
    const std::int64_t recorded = device->replay.peak(SnapshotMeasure::Reserved).bytes;
    if (arguments.json) {
        Json json = {{"device", device->replay.device},
                     {"allocator", settings->text()},
                     {"history", name(device->replay.kind)},
                     {"peak_reserved_bytes", answer.peakReservedBytes},
                     {"recorded_peak_reserved_bytes", recorded},
                     {"fits", answer.fits()},
                     {"ends_at_event", answer.endsAtEvent ? Json(*answer.endsAtEvent) : Json()}};
        if (answer.capacityBytes >= 0)
            json["capacity_bytes"] = answer.capacityBytes;
        standardOutput().json(dumpJson(json));
        return 0;
    }
    printChoice(*device);
    print("{} reserved at most, {} when it was recorded\n", formatBytes(answer.peakReservedBytes),
          formatBytes(recorded));
    const std::string of =
        answer.capacityBytes < 0 ? std::string() : fmt::format(" of {}", formatBytes(answer.capacityBytes));
    if (answer.fits())
        print("every request fits{}\n", of);
    else
        print("the request of event {} does not fit{}\n", *answer.endsAtEvent, of);
    if (answer.fromBefore)
        print("blocks from before the record were placed anew, in order of their addresses\n");
    return 0;
}

int adviseCommand(const SnapshotArguments& given)
{
    SnapshotArguments arguments = given;
    const auto snapshot = holdsCudaSnapshot(arguments.file);
    if (!snapshot)
        return report(snapshot.error());
    if (!*snapshot) {
        const std::string history = historyBeside(arguments.file);
        if (history.empty())
            return adviseOnResult(arguments);
        arguments.file = history;
    }
    const auto device = readDevice(arguments.file, arguments.device, arguments.range);
    if (!device)
        return report(device.error());
    if (arguments.json) {
        standardOutput().json(dumpJson(adviceJson(device->snapshot, device->replay)));
        return 0;
    }
    const SnapshotAdvice advice = adviseOn(device->snapshot, device->replay);
    printChoice(*device);
    print("{}\n", advice.sentence);
    for (const SnapshotRemedy& remedy : advice.remedies) {
        print("{}: {}\n", remedy.verdict, remedy.how);
        const std::int64_t saves = remedy.savesBytes.value_or(0);
        if (remedy.peakBytes)
            print("    {} reserved at most, {} {}\n", formatBytes(*remedy.peakBytes), formatBytes(std::abs(saves)),
                  saves < 0 ? "more" : "less");
    }
    if (advice.remedies.empty())
        print("{}\n", withoutRemedies(device->replay));
    return 0;
}

} // namespace peakscope
