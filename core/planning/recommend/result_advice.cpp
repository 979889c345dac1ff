// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/result_advice.h"

#include "core/base/dry_name.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/model/dry_device.h"

#include <algorithm>

namespace peakscope {

bool canBeAdvised(const RunResult& result)
{
    return result.kind != ResultKind::Plan && result.kind != ResultKind::Sweep && result.config.is_object() &&
           !result.config.empty() && !result.config.contains("program"); // somebody's own, which has no keys to change
}

bool endedForMemory(const RunResult& result)
{
    if (result.status == RunStatus::OverBudget)
        return true;
    const auto says = [&result](const char* words) { return result.message.find(words) != std::string::npos; };
    return result.status != RunStatus::Complete && (says("out of memory") || says("out-of-memory"));
}

namespace {

// Of a dry run the card, of a run on a card what that said of itself; nothing where neither is known.
std::optional<PlanDevice> cardOfResult(const RunResult& result, const std::string& id)
{
    if (const auto dry = isDryDevice(id) ? dryDevice(id) : Result<DryDevice>(failed("", "")); dry) {
        PlanDevice device = planDevice(dry->card);
        if (device.usableBytes != dry->bytes) // another size of it
            device.totalBytes = device.usableBytes = dry->bytes;
        return device;
    }
    const nlohmann::json& allocator = lenient::member(result.other, "allocator");
    const std::int64_t total = lenient::integer(allocator, "device_total_bytes", 0);
    if (total <= 0)
        return std::nullopt;
    PlanDevice device;
    device.name = lenient::text(result.environment, "device_name");
    device.totalBytes = device.usableBytes = total;
    device.contextBytes = lenient::integer(allocator, "context_bytes", 0);
    return device;
}

} // namespace

PlanDevice deviceOfResult(const RunResult& result)
{
    PlanDevice device;
    device.id = lenient::text(result.environment, "device");
    if (device.id.empty())
        device.id = lenient::text(result.config, "device");
    if (device.id.empty())
        device.id = "auto"; // as an experiment that does not say
    device.cuda = device.id.starts_with("cuda") || isDryDevice(device.id);
    const std::int64_t budget = lenient::integer(result.config, "budget_bytes", 0);
    if (auto card = device.cuda && budget <= 0 ? cardOfResult(result, device.id) : std::nullopt) {
        card->id = device.id;
        return std::move(*card);
    }
    const std::int64_t memory = device.cuda ? 0 : lenient::integer(result.environment, "memory_total_bytes", 0);
    constexpr std::int64_t kNotSaid = std::int64_t{1} << 50;
    device.totalBytes = device.usableBytes = budget > 0 ? budget : memory > 0 ? memory : kNotSaid;
    device.name = budget > 0   ? "the budget of " + formatBytes(budget)
                  : memory > 0 ? "a machine of " + formatBytes(memory)
                               : "a device of unknown memory";
    return device;
}

std::vector<std::pair<Component, std::int64_t>> peakHolders(const RunResult& result)
{
    std::vector<std::pair<Component, std::int64_t>> holders;
    for (std::size_t i = 0; result.memory && i < kComponentCount; ++i) {
        if (result.memory->peakComponents[i] > 0)
            holders.emplace_back(static_cast<Component>(i), result.memory->peakComponents[i]);
    }
    std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return holders;
}

Result<ExperimentAdvice> adviceFor(const RunResult& result, std::stop_token stop)
{
    return adviceFor(result.config, deviceOfResult(result), std::move(stop));
}

Table remediesTable(const ExperimentAdvice& advice)
{
    Table table{
        "remedies",
        {{"verdict", ""}, {"tier", ""}, {"saves_bytes", "bytes"}, {"predicted_peak_bytes", "bytes"}, {"change", ""}},
        {}};
    for (const ExperimentRemedy& remedy : advice.remedies)
        table.rows.push_back({std::string(name(remedy.verdict)), std::string(name(remedy.tier)), remedy.savesBytes,
                              remedy.peakBytes, remedy.change});
    return table;
}

} // namespace peakscope
