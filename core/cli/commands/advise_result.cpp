// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/advise_result.h"

#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/read_any.h"
#include "core/planning/recommend/result_advice.h"
#include "core/results/run_instant.h"

#include <algorithm>

namespace peakscope {

namespace {

using Json = nlohmann::json;

Json adviceJson(const RunResult& result, const ExperimentAdvice& advice)
{
    Json json = {{"peak_bytes", result.memory ? Json(result.memory->peakBytes) : Json()},
                 {"predicted_peak_bytes", advice.askedPeakBytes},
                 {"holders", Json::array()},
                 {"remedies", Json::array()}};
    for (const auto& [component, bytes] : peakHolders(result))
        json["holders"].push_back(
            {{"what", name(component)}, {"component", name(component)}, {"bytes", bytes}, {"stack", ""}});
    for (const ExperimentRemedy& remedy : advice.remedies)
        json["remedies"].push_back({{"change", remedy.change},
                                    {"tier", name(remedy.tier)},
                                    {"saves_bytes", remedy.savesBytes},
                                    {"peak_bytes", remedy.peakBytes},
                                    {"verdict", name(remedy.verdict)},
                                    {"experiment", remedy.experiment}});
    return json;
}

std::string holdersText(const RunResult& result)
{
    std::string held;
    for (const auto& [component, bytes] : peakHolders(result))
        held += (held.empty() ? "" : ", ") + std::string(name(component)) + " " + formatBytes(bytes);
    return held;
}

void printAdvice(const RunResult& result, const ExperimentAdvice& advice)
{
    if (result.memory) {
        print("{}{} at its peak: {}\n", formatBytes(result.memory->peakBytes),
              result.status == RunStatus::OverBudget ? " when it ended over its budget" : "", holdersText(result));
    }
    print("predicted as requested: {}; for {}:\n", formatBytes(advice.askedPeakBytes), deviceOfResult(result).name);
    for (const ExperimentRemedy& remedy : advice.remedies)
        print("{} ({}): {} less, {} at the peak: {}\n", name(remedy.verdict), name(remedy.tier),
              formatBytes(remedy.savesBytes), formatBytes(remedy.peakBytes), remedy.change);
    if (advice.remedies.empty())
        print("nothing that Peakscope can change would make it smaller\n");
    else
        print("`advise --json` holds each as an experiment to run\n");
}

// Of a recorded program: who holds its peak, by line of the program and by module. What it could do otherwise is not
// computed.
int adviseOnRecording(const RunResult& result, bool json)
{
    constexpr std::size_t kShown = 8;
    const MemorySection& memory = *result.memory;
    const RunInstant peak = runPeak(memory);
    const std::vector<RunHolder> lines = runHolders(memory, peak, RunHolderKey::Line);
    const std::vector<RunHolder> modules = runHolders(memory, peak, RunHolderKey::Module);
    if (json) {
        const auto listOf = [](const std::vector<RunHolder>& holders) {
            Json list = Json::array();
            for (const RunHolder& holder : holders)
                list.push_back({{"what", holder.what}, {"bytes", holder.allocatedBytes}, {"blocks", holder.blocks}});
            return list;
        };
        Json components = Json::array();
        for (const auto& [component, bytes] : peakHolders(result))
            components.push_back({{"what", name(component)}, {"component", name(component)}, {"bytes", bytes}});
        standardOutput().json(dumpJson(Json{{"peak_bytes", memory.peakBytes},
                                            {"holders", components},
                                            {"lines", listOf(lines)},
                                            {"modules", listOf(modules)},
                                            {"remedies", Json::array()}}));
        return 0;
    }
    print("{} at its peak{}: {}\n", formatBytes(memory.peakBytes),
          peak.mark ? fmt::format(", in phase {} of step {}", name(peak.mark->phase), peak.mark->step) : "",
          holdersText(result));
    for (const auto& [title, holders] : {std::pair("by line", &lines), std::pair("by module", &modules)}) {
        print("{}:\n", title);
        for (std::size_t i = 0; i < std::min(kShown, holders->size()); ++i)
            print("{:>12}  {}\n", formatBytes((*holders)[i].allocatedBytes), (*holders)[i].what);
    }
    return 0;
}

} // namespace

int adviseOnResult(const SnapshotArguments& arguments)
{
    if (const Status whole = refuseRange(arguments.range, arguments.file); !whole)
        return report(whole.error());
    const auto results = readAny(arguments.file);
    if (!results)
        return report(results.error());
    const RunResult& result = results->front();
    // An experiment of ours says whose its bytes are, too, and can be changed.
    if (result.memory && !result.memory->owners.empty() && result.config.contains("program"))
        return adviseOnRecording(result, arguments.json);
    if (importedFormat(result) || !canBeAdvised(result))
        return report(badInput(arguments.file, "it is neither a CUDA memory snapshot nor a result with an experiment "
                                               "of Peakscope's that could be changed"));
    const auto advice = adviceFor(result);
    if (!advice)
        return report(advice.error());
    if (arguments.json)
        standardOutput().json(dumpJson(adviceJson(result, *advice)));
    else
        printAdvice(result, *advice);
    return 0;
}

} // namespace peakscope
