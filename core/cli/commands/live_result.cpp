// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/live_result.h"

#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/read_any.h"
#include "core/snapshots/run_instant.h"

namespace peakscope {

namespace {

using Json = nlohmann::json;

// What of `live` is for snapshots alone.
Status checkForResult(const SnapshotArguments& arguments)
{
    if (!arguments.range.events.empty() || !arguments.range.time.empty())
        return badInput(arguments.range.events.empty() ? "--time" : "--events",
                        arguments.file + " is no CUDA memory snapshot, of which a part could be read");
    if (arguments.device >= 0)
        return badInput("--device", arguments.file + " is no CUDA memory snapshot; a result is of one device");
    return Done{};
}

Result<RunHolderKey> keyOf(const SnapshotArguments& arguments)
{
    if (arguments.by.empty())
        return RunHolderKey::Component;
    if (const auto key = fromName<RunHolderKey>(arguments.by))
        return *key;
    return badInput("--by",
                    fmt::format("the events of {} carry a component and a time, nothing by {}; --by takes {}",
                                arguments.file, arguments.by, joinWords(wordsOf(RunHolderKey::Component), "and")));
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
                            {"allocated_bytes", holders[i].allocatedBytes}});
    }
    return {
        {"at", at}, {"by", name(key)}, {"allocated_bytes", allocated}, {"requested_bytes", requested}, {"rows", rows}};
}

// `ranks`: of which the result's own memory is the fullest's.
void printLive(const RunInstant& instant, RunHolderKey key, const std::vector<RunHolder>& holders, std::size_t shown,
               std::size_t ranks)
{
    std::int64_t total = 0;
    for (const RunHolder& holder : holders)
        total += holder.allocatedBytes;
    std::string where = fmt::format("{} alive at {:.6g} s", formatBytes(total), instant.seconds);
    if (instant.mark)
        where += fmt::format(", in phase {}", name(instant.mark->phase));
    if (instant.mark && instant.mark->step >= 0)
        where += fmt::format(" of step {}", instant.mark->step);
    if (ranks > 0)
        where += fmt::format(", on the fullest of {} ranks", ranks);
    print("{}{}\n", where, key == RunHolderKey::Phase ? "; what each phase had allocated less what it had freed" : "");
    for (std::size_t i = 0; i < shown; ++i)
        print("{:>12}  {}\n", formatBytes(holders[i].allocatedBytes), holders[i].what);
    if (shown < holders.size())
        print("{:>12}  and {} more\n", "", holders.size() - shown);
}

} // namespace

int liveInResult(const SnapshotArguments& arguments)
{
    if (const Status possible = checkForResult(arguments); !possible)
        return report(possible.error());
    const auto results = readAny(arguments.file);
    if (!results)
        return report(results.error());
    const RunResult& result = results->front();
    if (importedFormat(result) || !result.memory || result.memory->timeline.size() == 0)
        return report(badInput(arguments.file, "it is neither a CUDA memory snapshot nor a result of Peakscope's own "
                                               "with a timeline of its memory"));
    const auto key = keyOf(arguments);
    if (!key)
        return report(key.error());
    const auto instant = runInstant(*result.memory, arguments.at, arguments.file);
    if (!instant)
        return report(instant.error());
    const std::vector<RunHolder> holders = runHolders(*result.memory, *instant, *key);
    const std::size_t shown = shownOf(holders.size(), arguments.top);
    if (arguments.json)
        standardOutput().json(dumpJson(liveJson(*instant, *key, holders, shown)));
    else
        printLive(*instant, *key, holders, shown, result.ranks.size());
    return 0;
}

} // namespace peakscope
