// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/card_memory.h"

#include "core/recording/recorded_memory.h"
#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

namespace peakscope {

namespace {

Error disagreement(std::string text)
{
    return badInput("record", "the allocator's history and the recorder disagree: " + std::move(text));
}

std::vector<const HeldBlock*> blocksOf(const SnapshotReplay& replay)
{
    std::vector<const HeldBlock*> blocks;
    for (const HeldBlock& block : replay.blocks) {
        if (block.born >= 0)
            blocks.push_back(&block);
    }
    return blocks;
}

// The n-th block of the one is the n-th of the other.
Status match(const RecordedBlocks& recorded, const std::vector<const HeldBlock*>& held)
{
    if (recorded.blocks().size() != held.size())
        return disagreement(fmt::format("{} allocations and {}", held.size(), recorded.blocks().size()));
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (recorded.blocks()[i].bytes != held[i]->requestedBytes)
            return disagreement(fmt::format("allocation {} requests {} and {} bytes", i, held[i]->requestedBytes,
                                            recorded.blocks()[i].bytes));
    }
    return Done{};
}

// The history has the stack of each allocation, but for those of autograd's own threads: these have the line whose
// forward pass made the graph there.
class Lines
{
public:
    Lines(const RecordedBlocks& recorded, const SnapshotRecording& history, const std::vector<const HeldBlock*>& held)
        : m_recorded(recorded), m_history(history), m_held(held)
    {
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (held[i]->stack != kNoStack && recorded.blocks()[i].place != 0)
                m_bySequence.try_emplace(recorded.blocks()[i].place, i);
        }
    }

    std::string of(std::size_t block) const
    {
        if (m_held[block]->stack != kNoStack)
            return blockLine(*m_history.snapshot, *m_held[block]);
        // An operator that allocates nothing has the line of one before it.
        const auto after = m_bySequence.upper_bound(m_recorded.blocks()[block].place);
        return after == m_bySequence.begin() ? std::string() : of(std::prev(after)->second);
    }

private:
    const RecordedBlocks& m_recorded;
    const SnapshotRecording& m_history;
    const std::vector<const HeldBlock*>& m_held;
    std::map<std::uint32_t, std::size_t> m_bySequence; // blocks
};

// As a snapshot has them, of PYTORCH_CUDA_ALLOC_CONF.
std::vector<std::pair<std::string, std::string>> settingsOf(const ProbeNames& names)
{
    const auto said = names.said.find("allocator");
    const auto settings = allocatorSettings(said == names.said.end() ? std::string() : said->second);
    if (!settings)
        return {};
    std::string divisions;
    for (const auto& [mebibytes, steps] : settings->divisions)
        divisions += fmt::format("{}{}:{}", divisions.empty() ? "" : ",", mebibytes, steps);
    return {{"expandable_segments", settings->expandableSegments ? "True" : "False"},
            {"max_split_size", settings->maxSplitBytes > 0 ? std::to_string(settings->maxSplitBytes) : "-1"},
            {"roundup_power2_divisions", divisions}};
}

} // namespace

Result<SnapshotRecording> historyOf(const CardHistory& card, const ProbeNames& names)
{
    auto snapshot = std::make_shared<CudaSnapshot>();
    snapshot->texts.emplace_back();
    snapshot->stackStarts = {0, 0}; // the empty stack
    snapshot->streams = {0};
    snapshot->pools.emplace_back();
    snapshot->allocatorSettings = settingsOf(names);
    snapshot->histories.push_back(card.events);
    auto replay = replaySnapshot(*snapshot, card.events.device);
    if (!replay)
        return replay.error();
    return SnapshotRecording{std::move(snapshot), std::move(*replay)};
}

Result<MemorySection> cardMemory(const RecordedBlocks& blocks, const ProbeNames& names,
                                 const SnapshotRecording& history, std::vector<std::string>& notes)
{
    const std::vector<const HeldBlock*> held = blocksOf(history.replay);
    if (Status matched = match(blocks, held); !matched)
        return matched.error();
    const Lines lines(blocks, history, held);
    const OtherSource other{[&lines](std::size_t block) { return lines.of(block); },
                            [&held](std::size_t block) { return held[block]->bytes - held[block]->requestedBytes; }};
    MemorySection memory = recordedMemory(blocks, names, notes, other);
    memory.peakReservedBytes = history.replay.peak(SnapshotMeasure::Reserved).bytes;
    const std::int64_t allocated = history.replay.peak(SnapshotMeasure::Allocated).bytes;
    if (memory.peakBytes != allocated)
        return disagreement(fmt::format("peaks of {} and {} bytes", allocated, memory.peakBytes));
    return memory;
}

} // namespace peakscope
