// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/live_result.h"

#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/read_any.h"
#include "core/results/rank_balance.h"
#include "core/results/run_instant.h"

#include <algorithm>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// What of `live` is for snapshots alone.
Status checkForResult(const SnapshotArguments& arguments)
{
    if (const Status whole = refuseRange(arguments.range, arguments.file); !whole)
        return whole;
    if (arguments.device >= 0)
        return badInput("--device", arguments.file + " is not a CUDA memory snapshot; a result is of one device");
    return Done{};
}

Result<RunHolderKey> keyOf(const SnapshotArguments& arguments, const MemorySection& memory)
{
    if (arguments.by.empty())
        return RunHolderKey::Component;
    std::vector<std::string> possible;
    for (const RunHolderKey key : runHolderKeys(memory)) {
        if (name(key) == arguments.by)
            return key;
        possible.emplace_back(name(key));
    }
    return badInput("--by", fmt::format("{} has no {} for its events; --by takes {}", arguments.file,
                                        arguments.by, joinWords(possible, "and")));
}

// Of a result of several ranks: the one that is asked for, else the fullest, whose memory is the result's own.
struct RankMemory {
    const MemorySection* memory = nullptr;
    std::optional<std::int64_t> rank; // nothing: the result has no ranks
    bool fullest = false;
};

Result<RankMemory> rankMemory(const RunResult& result, const SnapshotArguments& arguments)
{
    const auto noTimeline = [&](const std::string& what) {
        return badInput(arguments.file, what + " is neither a CUDA memory snapshot nor a result of Peakscope's own "
                                               "with a timeline of its memory");
    };
    if (importedFormat(result) || !result.memory || result.memory->timeline.size() == 0)
        return noTimeline("it");
    if (result.ranks.empty()) {
        if (arguments.rank >= 0)
            return badInput("--rank", arguments.file + " is a result without ranks; leave it out");
        return RankMemory{&*result.memory, {}, false};
    }
    // The first of several that are as full, as the run itself has it.
    const auto fullest = std::max_element(result.ranks.begin(), result.ranks.end(), [](const auto& a, const auto& b) {
        return (a.memory ? a.memory->peakBytes : -1) < (b.memory ? b.memory->peakBytes : -1);
    });
    if (arguments.rank < 0)
        return RankMemory{&*result.memory, fullest->rank, true};
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < result.ranks.size(); ++i) {
        numbers.push_back(std::to_string(result.ranks[i].rank));
        if (result.ranks[i].rank != arguments.rank)
            continue;
        const RankSection& own = measuredSection(result.ranks, i);
        if (!own.memory || own.memory->timeline.size() == 0)
            return badInput("--rank",
                            fmt::format("rank {} of {} has no timeline of its memory", own.rank, arguments.file));
        return RankMemory{&*own.memory, own.rank, fullest->rank == own.rank};
    }
    return badInput("--rank", fmt::format("{} has no rank {}; it has {}", arguments.file, arguments.rank,
                                          joinWords(numbers, "and")));
}

// When the memory did that is shown: a result says it of its own, which is that of the fullest rank.
std::optional<double> ranOut(const RunResult& result, const RankMemory& asked)
{
    const auto found = result.other.find(kRanOutKey);
    const bool own = !asked.rank || asked.fullest;
    return own && found != result.other.end() && found->is_number() ? std::optional(found->get<double>())
                                                                    : std::nullopt;
}

Json liveJson(const RunInstant& instant, RunHolderKey key, const std::vector<RunHolder>& holders, std::size_t shown)
{
    Json at = {{"time_seconds", instant.seconds}, {"event", static_cast<std::int64_t>(instant.events) - 1}};
    if (instant.mark) {
        at["phase"] = name(instant.mark->phase);
        at["step"] = instant.mark->step;
    }
    Json rows = Json::array();
    std::int64_t allocated = 0, requested = 0;
    for (std::size_t i = 0; i < holders.size(); ++i) {
        allocated += holders[i].allocatedBytes;
        requested += holders[i].requestedBytes;
        if (i < shown)
            rows.push_back({{"what", holders[i].what},
                            {"requested_bytes", holders[i].requestedBytes},
                            {"blocks", holders[i].blocks},
                            {"allocated_bytes", holders[i].allocatedBytes}});
    }
    return {
        {"at", at}, {"by", name(key)}, {"allocated_bytes", allocated}, {"requested_bytes", requested}, {"rows", rows}};
}

// ", on rank 1, the fullest of 4"; empty where there are none.
std::string rankWords(const RankMemory& asked, std::size_t ranks)
{
    if (!asked.rank)
        return {};
    return fmt::format(", on rank {}, {}of {}", *asked.rank, asked.fullest ? "the fullest " : "", ranks);
}

void printLive(const RunInstant& instant, RunHolderKey key, const std::vector<RunHolder>& holders, std::size_t shown,
               const std::string& rank, bool atPeak)
{
    std::int64_t total = 0;
    for (const RunHolder& holder : holders)
        total += holder.allocatedBytes;
    std::string where =
        fmt::format("{} alive at {}{:.6g} s", formatBytes(total), atPeak ? "the peak, " : "", instant.seconds);
    if (instant.mark)
        where += fmt::format(", in phase {}", name(instant.mark->phase));
    if (instant.mark && instant.mark->step >= 0)
        where += fmt::format(" of step {}", instant.mark->step);
    print("{}{}{}\n", where, rank,
          key == RunHolderKey::Phase ? "; what each phase had allocated less what it had freed" : "");
    for (std::size_t i = 0; i < shown; ++i)
        print("{:>12}  {}\n", formatBytes(holders[i].allocatedBytes), holders[i].what);
    if (shown < holders.size())
        print("{:>12}  and {} more\n", "", holders.size() - shown);
}

} // namespace

Result<std::vector<SnapshotHolder>> holdersInResult(const std::string& file, const SnapshotArguments& given)
{
    SnapshotArguments arguments = given;
    arguments.file = file;
    if (const Status possible = checkForResult(arguments); !possible)
        return possible.error();
    const auto results = readAny(file);
    if (!results)
        return results.error();
    const auto asked = rankMemory(results->front(), arguments);
    if (!asked)
        return asked.error();
    const auto key = keyOf(arguments, *asked->memory);
    if (!key)
        return key.error();
    const auto instant = runInstant(*asked->memory, arguments.at, file, ranOut(results->front(), *asked));
    if (!instant)
        return instant.error();
    std::vector<SnapshotHolder> holders;
    for (const RunHolder& holder : runHolders(*asked->memory, *instant, *key))
        holders.push_back({holder.what, holder.requestedBytes, holder.allocatedBytes, holder.blocks});
    return holders;
}

int liveInResult(const SnapshotArguments& arguments)
{
    if (const Status possible = checkForResult(arguments); !possible)
        return report(possible.error());
    const auto results = readAny(arguments.file);
    if (!results)
        return report(results.error());
    const RunResult& result = results->front();
    const auto asked = rankMemory(result, arguments);
    if (!asked)
        return report(asked.error());
    const auto key = keyOf(arguments, *asked->memory);
    if (!key)
        return report(key.error());
    const auto instant = runInstant(*asked->memory, arguments.at, arguments.file, ranOut(result, *asked));
    if (!instant)
        return report(instant.error());
    const std::vector<RunHolder> holders = runHolders(*asked->memory, *instant, *key);
    const std::size_t shown = shownOf(holders.size(), arguments.top);
    if (!arguments.json) {
        printLive(*instant, *key, holders, shown, rankWords(*asked, result.ranks.size()), arguments.at == "peak");
        return 0;
    }
    Json json = liveJson(*instant, *key, holders, shown);
    if (asked->rank)
        json["rank"] = *asked->rank;
    standardOutput().json(dumpJson(json));
    return 0;
}

} // namespace peakscope
