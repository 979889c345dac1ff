// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/chosen_blocks.h"

#include <algorithm>
#include <map>

namespace peakscope {

ChosenBlocks blocksOfHolder(const SnapshotRecording& recording, std::int64_t event, HolderKey key,
                            const std::string& what)
{
    const SnapshotReplay& replay = recording.replay;
    HolderGroups groups(*recording.snapshot, replay, key, event);
    ChosenBlocks chosen(replay.blocks.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const HeldBlock& block = replay.blocks[i];
        if (key != HolderKey::Age || block.aliveAfter(event))
            chosen[i] = groups.words(groups.of(block)) == what;
    }
    return chosen;
}

std::string holderOfBlock(const SnapshotRecording& recording, std::int64_t event, HolderKey key, std::size_t block)
{
    HolderGroups groups(*recording.snapshot, recording.replay, key, event);
    return groups.words(groups.of(recording.replay.blocks[block]));
}

PlacedBytes courseOf(const SnapshotRecording& recording, SnapshotAxis axis, const ChosenBlocks& chosen)
{
    const std::vector<HeldBlock>& blocks = recording.replay.blocks;
    std::map<std::int64_t, std::int64_t> changes; // by event
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i] || blocks[i].freeRequested == kBeforeTheRange)
            continue;
        changes[std::max<std::int64_t>(blocks[i].born, -1)] += blocks[i].bytes;
        if (blocks[i].freeRequested >= 0)
            changes[blocks[i].freeRequested] -= blocks[i].bytes;
    }
    const SnapshotPlaces places(recording, axis);
    PlacedBytes course;
    std::int64_t bytes = 0;
    for (const auto& [event, change] : changes) {
        if (change == 0)
            continue;
        bytes += change;
        course.places.push_back(places.of(std::max<std::int64_t>(event, 0)));
        course.bytes.push_back(bytes);
    }
    return course;
}

ChosenFacts factsOf(const SnapshotRecording& recording, std::int64_t event, const ChosenBlocks& chosen)
{
    const std::vector<HeldBlock>& blocks = recording.replay.blocks;
    ChosenFacts facts;
    std::map<std::uint32_t, std::int64_t> stacks;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i])
            continue;
        const HeldBlock& block = blocks[i];
        const std::int64_t born = std::max<std::int64_t>(block.born, -1);
        facts.firstBorn = facts.allBlocks == 0 ? born : std::min(facts.firstBorn, born);
        ++facts.allBlocks;
        facts.stayed += block.freeRequested == -1;
        if (!block.aliveAfter(event))
            continue;
        facts.requestedBytes += block.requestedBytes;
        facts.bytes += block.bytes;
        ++facts.blocks;
        facts.largestBytes = std::max(facts.largestBytes, block.requestedBytes);
        facts.components[static_cast<std::size_t>(block.component)] += block.requestedBytes;
        stacks[block.stack] += block.requestedBytes;
    }
    const auto most = std::ranges::max_element(stacks, {}, [](const auto& stack) { return stack.second; });
    if (most != stacks.end())
        facts.stack = most->first;
    return facts;
}

} // namespace peakscope
