// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_advice.h"

#include "core/base/units.h"
#include "core/snapshots/program_remedies.h"
#include "core/snapshots/snapshot_document.h"
#include "core/snapshots/snapshot_instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace peakscope {

namespace {

constexpr std::size_t kMostHolders = 8;
constexpr double kWorthIt = 0.01; // of what is reserved
constexpr const char* kKeep = "keep nothing of a step";

// Settings that change where blocks lie and nothing else. A limit on what is split keeps large pieces whole for large
// requests: it helps where memory ran out.
std::vector<AllocatorSettings> otherSettings(const AllocatorSettings& recorded, bool ranOut)
{
    std::vector<AllocatorSettings> all;
    if (!recorded.expandableSegments) {
        AllocatorSettings expandable = recorded;
        expandable.expandableSegments = true;
        expandable.maxSplitBytes = 0; // has no effect there
        all.push_back(expandable);
    }
    for (const std::int64_t mebibytes : {64, 128, 256, 512}) {
        if (!ranOut || recorded.expandableSegments || recorded.maxSplitBytes == mebibytes << 20)
            continue;
        AllocatorSettings split = recorded;
        split.maxSplitBytes = mebibytes << 20;
        all.push_back(split);
    }
    return all;
}

// What each setting would have done; of those that limit splits only the best. Where memory grows with every step it
// only puts off the end.
std::vector<SnapshotRemedy> settingRemedies(const CudaSnapshot& snapshot, const SnapshotReplay& replay, bool grows)
{
    // Blocks from before the record are placed anew: then the recorded settings are replayed as well.
    const std::int64_t reserved = replay.beforeBlocks > 0
                                      ? whatIf(snapshot, replay, recordedSettings(snapshot)).peakReservedBytes
                                      : replay.peak(SnapshotMeasure::Reserved).bytes;
    std::vector<SnapshotRemedy> remedies;
    std::optional<SnapshotRemedy> bestSplit;
    for (const AllocatorSettings& settings : otherSettings(recordedSettings(snapshot), !replay.outOfMemory.empty())) {
        const WhatIf answer = whatIf(snapshot, replay, settings);
        const std::int64_t saves = reserved - answer.peakReservedBytes;
        const bool helps = replay.outOfMemory.empty()
                               ? static_cast<double>(saves) >= kWorthIt * static_cast<double>(reserved)
                               : answer.fits();
        if (!helps)
            continue;
        SnapshotRemedy remedy{settings.text(),
                              "PYTORCH_CUDA_ALLOC_CONF=" + settings.text(),
                              saves,
                              answer.peakReservedBytes,
                              replay.outOfMemory.empty() ? "less reserved"
                              : grows                    ? "fits this request; the next steps fail again"
                                                         : "fits",
                              {},
                              {},
                              Tier::Exact};
        if (settings.expandableSegments)
            remedies.push_back(std::move(remedy));
        else if (!bestSplit || *remedy.peakBytes < *bestSplit->peakBytes)
            bestSplit = std::move(remedy);
    }
    if (bestSplit)
        remedies.push_back(std::move(*bestSplit));
    return remedies;
}

std::string sentenceOf(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                       const std::vector<SnapshotHolder>& holders, const SteadyGrowth& growth)
{
    std::string text;
    if (matters(growth, replay))
        text = fmt::format("every step leaves memory behind, {} in the last, most from {}; ",
                           formatBytes(growth.stepBytes), growth.line);
    if (const OutOfMemory* end = replay.lastEnd())
        text += outOfMemoryText(snapshot, *end);
    else if (replay.hasPeak())
        text += fmt::format("peak {}{}", replay.kind == HistoryKind::Cut ? "at least " : "",
                            formatBytes(replay.peak(SnapshotMeasure::Allocated).bytes));
    else
        text += fmt::format("no history: {} held when it was written", formatBytes(replay.endAllocatedBytes));
    if (!holders.empty())
        text += fmt::format("; {} holds {} in {} blocks", holders.front().what,
                            formatBytes(holders.front().requestedBytes), holders.front().blocks);
    if (!replay.lastEnd() && !replay.outOfMemory.empty())
        text +=
            fmt::format("; {} requests failed for lack of memory and were lived through", replay.outOfMemory.size());
    return text + fmt::format("; history {}", name(replay.kind));
}

// What every step leaves is kept by something that outlives the step, and with it the graph that made it.
SnapshotRemedy growthRemedy(const SteadyGrowth& growth)
{
    const std::string others =
        growth.stacks == 1 ? std::string() : fmt::format(" and {} other places", growth.stacks - 1);
    return {kKeep,
            fmt::format("the last step left {} alive, from {}{}, and so did the two before it. Something outside the "
                        "step keeps a tensor and its graph. If losses or outputs are summed, listed "
                        "or logged, use loss.item() or output.detach()",
                        formatBytes(growth.stepBytes), growth.line, others),
            growth.bytes,
            std::nullopt,
            "grows with every step",
            growth.line,
            std::nullopt,
            Tier::Exact};
}

void addGrowing(const std::vector<GrowingStack>& growing, bool steadyIsSaid, std::vector<SnapshotRemedy>& remedies)
{
    std::size_t added = 0;
    for (const GrowingStack& one : growing) {
        if ((one.steady && steadyIsSaid) || added++ >= kMostHolders)
            continue;
        const char* why = one.steady
                              ? "check what holds it there. For a list of losses or outputs, use .item() or .detach()"
                              : "not in each of the last three, or of other sizes: it may grow, or be a cache "
                                "that has filled";
        remedies.push_back(
            {kKeep,
             fmt::format("{} left {} alive in {} steps: {}", one.line, formatBytes(one.requestedBytes), one.steps, why),
             one.requestedBytes, std::nullopt, one.steady ? "look here" : "may grow", one.line, std::nullopt,
             Tier::Exact});
    }
}

} // namespace

SnapshotAdvice adviseOn(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    SnapshotAdvice advice;
    const std::vector<GrowingStack> growing = growingStacks(snapshot, replay);
    const SteadyGrowth growth = steadyGrowth(growing);
    const bool grows = matters(growth, replay);
    advice.holders = snapshotHolders(snapshot, replay, firstSight(replay), HolderKey::Line);
    advice.sentence = sentenceOf(snapshot, replay, advice.holders, growth);
    if (grows)
        advice.remedies.push_back(growthRemedy(growth));
    if (replay.hasPeak())
        std::ranges::move(settingRemedies(snapshot, replay, grows), std::back_inserter(advice.remedies));
    std::ranges::move(programRemedies(snapshot, replay), std::back_inserter(advice.remedies));
    addGrowing(growing, grows, advice.remedies);
    return advice;
}

std::string withoutRemedies(const SnapshotReplay& replay)
{
    if (!replay.hasPeak())
        return "without a history there are no requests to replay under other settings";
    return replay.recordedSteps() < 3 ? "no setting of the allocator would help; too few steps to detect growth"
                                      : "no setting of the allocator would help, and nothing grows from step to step";
}

Table remediesTable(const SnapshotAdvice& advice)
{
    Table table{"remedies",
                {{"verdict", ""}, {"change", ""}, {"saves_bytes", "bytes"}, {"reserved_bytes", "bytes"}, {"how", ""}},
                {}};
    const auto bytes = [](std::optional<std::int64_t> value) { return cellIf(value && *value > 0, value.value_or(0)); };
    for (const SnapshotRemedy& remedy : advice.remedies)
        table.rows.push_back(
            {remedy.verdict, remedy.change, bytes(remedy.savesBytes), bytes(remedy.peakBytes), remedy.how});
    return table;
}

nlohmann::json adviceJson(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    const SnapshotAdvice advice = adviseOn(snapshot, replay);
    nlohmann::json json = snapshotDeviceJson(snapshot, replay);
    nlohmann::json answer = {{"device", replay.device},
                             {"history", json["history"]},
                             {"sentence", advice.sentence},
                             {"oom", json["oom"]},
                             {"growing", json["growing"]},
                             {"holders", nlohmann::json::array()},
                             {"remedies", nlohmann::json::array()}};
    if (replay.hasPeak())
        answer["peak_bytes"] = replay.peak(SnapshotMeasure::Allocated).bytes;
    const std::vector<SnapshotHolder>& holders = advice.holders;
    for (std::size_t i = 0; i < std::min(holders.size(), kMostHolders); ++i)
        answer["holders"].push_back({{"what", holders[i].what},
                                     {"bytes", holders[i].requestedBytes},
                                     {"blocks", holders[i].blocks},
                                     {"stack", snapshotStack(snapshot, holders[i].stack)}});
    for (const SnapshotRemedy& remedy : advice.remedies) {
        nlohmann::json entry = {
            {"change", remedy.change}, {"tier", name(remedy.tier)}, {"how", remedy.how}, {"verdict", remedy.verdict}};
        if (!remedy.line.empty())
            entry["line"] = remedy.line;
        if (remedy.allocatedBytes)
            entry["peak_allocated_bytes"] = *remedy.allocatedBytes; // at least
        if (remedy.savesBytes)
            entry["saves_bytes"] = *remedy.savesBytes;
        if (remedy.peakBytes)
            entry["peak_bytes"] = *remedy.peakBytes;
        answer["remedies"].push_back(std::move(entry));
    }
    return answer;
}

} // namespace peakscope
