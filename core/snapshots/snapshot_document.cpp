// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_document.h"

#include "core/base/units.h"
#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace peakscope {

using Json = nlohmann::json;

namespace {

Json countsOf(const std::map<std::string, std::int64_t>& counts)
{
    Json object = Json::object();
    for (const auto& [what, count] : counts)
        object[what] = count;
    return object;
}

Json outOfMemoryJson(const CudaSnapshot& snapshot, const SnapshotReplay& replay, const OutOfMemory& end)
{
    Json json = {{"event", replay.firstEvent + end.event},
                 {"asked_bytes", end.askedBytes},
                 {"reserved_bytes", end.reservedBytes},
                 {"allocated_bytes", end.allocatedBytes},
                 {"unallocated_bytes", end.unallocatedBytes()},
                 {"largest_free_bytes", end.largestFreeBytes},
                 {"cause", name(end.cause())},
                 {"line", snapshotLine(snapshot, end.stack)}};
    if (end.deviceFreeBytes >= 0)
        json["device_free_bytes"] = end.deviceFreeBytes;
    return json;
}

// Streams and pools that the history or the state names, with their events and bytes reserved at the end.
void addPlaces(const CudaSnapshot& snapshot, const SnapshotReplay& replay, Json& json)
{
    std::map<std::string, std::int64_t> actions, streams, pools;
    if (const DeviceHistory* history = snapshot.history(replay.device)) {
        for (const AllocatorEvent& event : history->events) {
            ++actions[std::string(name(event.action))];
            ++streams[std::to_string(snapshot.streams[event.stream])];
        }
        for (const auto& [action, count] : history->otherActions) {
            actions["other"] -= count;
            actions[action] += count;
        }
        std::erase_if(actions, [](const auto& action) { return action.second == 0; });
    }
    for (const SnapshotSegment& segment : snapshot.segments) {
        if (segment.device == replay.device)
            pools[segment.pool == 0 ? "0:0" : snapshot.pools[segment.pool]] += segment.bytes;
    }
    json["actions"] = countsOf(actions);
    json["streams"] = countsOf(streams);
    json["pools_reserved_bytes"] = countsOf(pools);
}

// Annotations, with the most that was allocated within each.
void addSpans(const CudaSnapshot& snapshot, const SnapshotReplay& replay, Json& json)
{
    constexpr std::size_t kMostSpans = 1000;
    if (replay.spans.empty())
        return;
    const std::vector<std::int64_t> curve = snapshotCurve(snapshot, replay, SnapshotMeasure::Allocated);
    for (std::size_t i = 0; i < std::min(replay.spans.size(), kMostSpans); ++i) {
        const SnapshotSpan& span = replay.spans[i];
        const auto most = std::max_element(curve.begin() + span.first + 1, curve.begin() + span.end + 1);
        json["annotations"].push_back({{"name", snapshot.texts[span.name]},
                                       {"first_event", replay.firstEvent + span.first},
                                       {"last_event", replay.firstEvent + span.end - 1},
                                       {"peak_allocated_bytes", *most}});
    }
    if (replay.spans.size() > kMostSpans)
        json["annotations_left_out"] = replay.spans.size() - kMostSpans;
}

std::string_view causeText(OutOfMemoryCause cause)
{
    switch (cause) {
    case OutOfMemoryCause::Fragmented:
        return "fragmented";
    case OutOfMemoryCause::Limited:
        return "the program's limit";
    case OutOfMemoryCause::TooBig:
        break;
    }
    return "too big";
}

} // namespace

std::optional<Json> pinnedHostJson(const CudaSnapshot& snapshot)
{
    const bool held = std::any_of(snapshot.segments.begin(), snapshot.segments.end(),
                                  [](const SnapshotSegment& segment) { return segment.device == kPinnedHost; });
    if (!held && !snapshot.history(kPinnedHost))
        return std::nullopt;
    const auto replay = replaySnapshot(snapshot, kPinnedHost);
    if (!replay)
        return std::nullopt;
    const SnapshotPeak& peak = replay->peak(SnapshotMeasure::Requested);
    const std::int64_t last = replay->events - 1;
    Json json = {{"history", name(replay->kind)},
                 {"events", replay->events},
                 {"end_bytes", snapshotCurve(snapshot, *replay, SnapshotMeasure::Requested).back()},
                 {"reserved_bytes", replay->endReservedBytes},
                 {"holders", Json::array()}};
    if (replay->hasPeak()) {
        json["peak_bytes"] = peak.bytes;
        json["peak_event"] = peak.event;
    }
    for (const SnapshotHolder& holder :
         snapshotHolders(snapshot, *replay, replay->hasPeak() ? peak.event : last, HolderKey::Line))
        json["holders"].push_back(
            {{"what", holder.what}, {"requested_bytes", holder.requestedBytes}, {"blocks", holder.blocks}});
    return json;
}

std::string outOfMemoryText(const CudaSnapshot& snapshot, const OutOfMemory& end)
{
    std::string text =
        fmt::format("out of memory at {}: {} requested, {} free of {} reserved, in pieces of at most {}",
                    snapshotLine(snapshot, end.stack), formatBytes(end.askedBytes), formatBytes(end.unallocatedBytes()),
                    formatBytes(end.reservedBytes), formatBytes(end.largestFreeBytes));
    if (end.deviceFreeBytes >= 0)
        text += fmt::format(", {} on the device", formatBytes(end.deviceFreeBytes));
    return fmt::format("{}: {}", text, causeText(end.cause()));
}

std::string shownDeviceText(std::span<const SnapshotReplay> replays)
{
    std::vector<std::int64_t> devices;
    for (const SnapshotReplay& replay : replays) {
        if (replay.events > 0)
            devices.push_back(replay.device);
    }
    if (devices.size() < 2)
        return {};
    std::ranges::sort(devices);
    std::vector<std::string> names;
    for (const std::int64_t device : devices)
        names.push_back(std::to_string(device));
    const SnapshotReplay& shown = replays.front();
    return fmt::format("of devices {}, device {} is shown, {}", joinWords(names, "and"), shown.device,
                       fullnessOf(shown).ranOut ? "which ran out of memory" : "the fullest");
}

Json snapshotDeviceJson(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    Json json = {{"device", replay.device},
                 {"history", name(replay.kind)},
                 {"events", replay.events},
                 {"steps", replay.stepEnds.size()},
                 {"before",
                  {{"requested_bytes", replay.beforeRequestedBytes},
                   {"allocated_bytes", replay.beforeAllocatedBytes},
                   {"awaiting_free_bytes", replay.beforeAwaitingFreeBytes},
                   {"reserved_bytes", replay.beforeReservedBytes},
                   {"blocks", replay.beforeBlocks}}},
                 {"end",
                  {{"allocated_bytes", replay.endAllocatedBytes},
                   {"requested_bytes", replay.endRequestedBytes},
                   {"reserved_bytes", replay.endReservedBytes},
                   {"blocks", replay.endBlocks},
                   {"segments", replay.endSegments},
                   {"awaiting_free_bytes", replay.endAwaitingFreeBytes},
                   {"inactive_bytes", replay.endInactiveBytes},
                   {"largest_free_bytes", replay.endLargestFreeBytes}}},
                 {"oom", Json::array()},
                 {"growing", Json::array()}};
    if (snapshot.start(replay.device))
        json["range"] = {{"first_event", replay.firstEvent}, {"events", replay.events}};
    for (std::size_t i = 0; replay.hasPeak() && i < kSnapshotMeasures; ++i) {
        const std::string measure(name(static_cast<SnapshotMeasure>(i)));
        json["peak"][measure + "_bytes"] = replay.peaks[i].bytes;
        json["peak_event"][measure] = replay.firstEvent + replay.peaks[i].event;
    }
    if (replay.stepSource != StepSource::None)
        json["steps_from"] = name(replay.stepSource);
    addSpans(snapshot, replay, json);
    for (const OutOfMemory& end : replay.outOfMemory)
        json["oom"].push_back(outOfMemoryJson(snapshot, replay, end));
    for (const GrowingStack& stack : growingStacks(snapshot, replay))
        json["growing"].push_back(
            {{"what", stack.line}, {"bytes", stack.requestedBytes}, {"steps", stack.steps}, {"steady", stack.steady}});
    addPlaces(snapshot, replay, json);
    for (const auto& [key, value] : snapshot.allocatorSettings) {
        if (!value.empty())
            json["settings"][key] = value;
    }
    if (!snapshot.notRead.empty())
        json["not_read"] = snapshot.notRead;
    return json;
}

} // namespace peakscope
