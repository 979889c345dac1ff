// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_whatif.h"

#include <unordered_map>

namespace peakscope {

std::optional<std::int64_t> recordedCapacity(const SnapshotReplay& replay)
{
    if (replay.outOfMemory.empty() || replay.outOfMemory.front().deviceFreeBytes < 0)
        return std::nullopt;
    const OutOfMemory& end = replay.outOfMemory.front();
    // A limit below the device is not written; as much as was ever reserved lay within it.
    return end.isLimited() ? replay.peak(SnapshotMeasure::Reserved).bytes : end.reservedBytes + end.deviceFreeBytes;
}

WhatIf whatIf(const CudaSnapshot& snapshot, const SnapshotReplay& replay, const AllocatorSettings& settings,
              std::optional<std::int64_t> capacity)
{
    WhatIf answer;
    if (!capacity)
        capacity = recordedCapacity(replay);
    answer.capacityBytes = capacity.value_or(-1);
    AllocatorModel model(settings, capacity.value_or(AllocatorModel::kNoLimit));
    std::vector<std::optional<AllocatorModel::Block>> placed(replay.blocks.size());
    // Blocks in the order of their births; what ends is found by the event that completes its free.
    std::unordered_map<std::int64_t, std::size_t> completed;
    std::size_t next = 0;
    for (std::size_t i = 0; i < replay.blocks.size(); ++i) {
        if (replay.blocks[i].freeCompleted >= 0)
            completed.emplace(replay.blocks[i].freeCompleted, i);
    }
    const auto place = [&](std::size_t block) {
        const HeldBlock& held = replay.blocks[block];
        placed[block] = model.allocate(held.requestedBytes, held.stream, held.pool);
        return placed[block].has_value();
    };
    for (; next < replay.blocks.size() && replay.blocks[next].born < 0; ++next) {
        answer.fromBefore = true;
        if (!place(next))
            answer.endsAtEvent = answer.endsAtEvent.value_or(0);
    }
    const DeviceHistory* history = snapshot.history(replay.device);
    for (std::int64_t event = 0; event < replay.events && !answer.endsAtEvent; ++event) {
        const AllocatorEvent& recorded = history->events[static_cast<std::size_t>(event)];
        // A free that an allocation at the same address implies comes before it.
        if (const auto over = completed.find(event); over != completed.end() && placed[over->second])
            model.release(*placed[over->second]);
        if (next < replay.blocks.size() && replay.blocks[next].born == event) {
            if (!place(next++))
                answer.endsAtEvent = event;
        } else if (recorded.action == SnapshotAction::OutOfMemory) {
            if (!model.allocate(recorded.bytes, recorded.stream, recorded.pool))
                answer.endsAtEvent = event;
        }
    }
    answer.peakReservedBytes = model.peakReservedBytes();
    return answer;
}

} // namespace peakscope
