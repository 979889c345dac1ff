// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/advise_result.h"

#include "core/base/json_reader.h"
#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/read_any.h"
#include "core/planning/recommend/experiment_advice.h"

#include <algorithm>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// The device that the run was on, wherever it is: its budget, else its memory as far as the result says.
PlanDevice deviceOf(const RunResult& result)
{
    PlanDevice device;
    device.id = lenient::text(result.environment, "device");
    if (device.id.empty())
        device.id = lenient::text(result.config, "device");
    device.cuda = device.id.starts_with("cuda");
    const std::int64_t budget = lenient::integer(result.config, "budget_bytes", 0);
    const std::int64_t memory = device.cuda ? 0 : lenient::integer(result.environment, "memory_total_bytes", 0);
    constexpr std::int64_t kNotSaid = std::int64_t{1} << 50;
    device.totalBytes = device.usableBytes = budget > 0 ? budget : memory > 0 ? memory : kNotSaid;
    device.name = budget > 0   ? "the budget of " + formatBytes(budget)
                  : memory > 0 ? "a machine of " + formatBytes(memory)
                               : "a device whose memory the result does not say";
    return device;
}

// Components alive at the peak, the largest first.
std::vector<std::pair<Component, std::int64_t>> holdersOf(const RunResult& result)
{
    std::vector<std::pair<Component, std::int64_t>> holders;
    for (std::size_t i = 0; result.memory && i < kComponentCount; ++i) {
        if (result.memory->peakComponents[i] > 0)
            holders.emplace_back(static_cast<Component>(i), result.memory->peakComponents[i]);
    }
    std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return holders;
}

Json adviceJson(const RunResult& result, const ExperimentAdvice& advice)
{
    Json json = {{"peak_bytes", result.memory ? Json(result.memory->peakBytes) : Json()},
                 {"predicted_peak_bytes", advice.askedPeakBytes},
                 {"holders", Json::array()},
                 {"remedies", Json::array()}};
    for (const auto& [component, bytes] : holdersOf(result))
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

void printAdvice(const RunResult& result, const PlanDevice& device, const ExperimentAdvice& advice)
{
    if (result.memory) {
        std::string held;
        for (const auto& [component, bytes] : holdersOf(result))
            held += (held.empty() ? "" : ", ") + std::string(name(component)) + " " + formatBytes(bytes);
        print("{}{} at its peak: {}\n", formatBytes(result.memory->peakBytes),
              result.status == RunStatus::OverBudget ? " when it ended over its budget" : "", held);
    }
    print("as asked for {} are predicted; for {}:\n", formatBytes(advice.askedPeakBytes), device.name);
    for (const ExperimentRemedy& remedy : advice.remedies)
        print("{} ({}): {} less, {} at the peak: {}\n", name(remedy.verdict), name(remedy.tier),
              formatBytes(remedy.savesBytes), formatBytes(remedy.peakBytes), remedy.change);
    if (advice.remedies.empty())
        print("nothing that Peakscope can change would make it smaller\n");
    else
        print("`advise --json` holds each as an experiment to run\n");
}

} // namespace

int adviseOnResult(const SnapshotArguments& arguments)
{
    const auto results = readAny(arguments.file);
    if (!results)
        return report(results.error());
    const RunResult& result = results->front();
    if (importedFormat(result) || !result.config.is_object() || result.config.empty())
        return report(badInput(arguments.file, "it is neither a CUDA memory snapshot nor a result with an experiment "
                                               "of Peakscope's that could be changed"));
    const PlanDevice device = deviceOf(result);
    const auto advice = adviceFor(result.config, device);
    if (!advice)
        return report(advice.error());
    if (arguments.json)
        standardOutput().json(dumpJson(adviceJson(result, *advice)));
    else
        printAdvice(result, device, *advice);
    return 0;
}

} // namespace peakscope
