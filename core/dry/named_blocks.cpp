// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/named_blocks.h"

#include "core/base/file.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/recording/live_recording.h"
#include "core/recording/recorded_memory.h"
#include "core/results/component_reading.h"
#include "core/snapshots/snapshot_components.h"
#include "core/snapshots/snapshot_holders.h"
#include "core/snapshots/snapshot_recording.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
Status match(RecordedBlocks& recorded, const std::vector<const HeldBlock*>& held)
{
    if (recorded.blocks().size() != held.size())
        return disagreement(fmt::format("{} allocations and {}", held.size(), recorded.blocks().size()));
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (recorded.blocks()[i].bytes != held[i]->requestedBytes)
            return disagreement(fmt::format("allocation {} asks for {} and for {} bytes", i, held[i]->requestedBytes,
                                            recorded.blocks()[i].bytes));
        recorded.setRounding(i, held[i]->bytes - held[i]->requestedBytes);
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

// A pickle's text.
std::string packed(std::string_view text)
{
    const auto size = static_cast<std::uint32_t>(text.size());
    std::string bytes = "X";
    for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>(size >> shift & 0xff);
    return bytes.append(text);
}

// A pickle is a program that leaves a dict and stops: before the stop the dict gets one member more. What stands in the
// place of the stop is one byte, as that was, so that the length that stands before the last part of it holds.
Status addMember(const std::filesystem::path& pickle, std::string_view key, std::string_view value)
{
    auto bytes = readTextFile(pickle);
    if (!bytes)
        return bytes.error();
    if (!bytes->ends_with('.'))
        return badInput(pickle.string(), "is no pickle");
    bytes->back() = '(';
    *bytes += packed(key) + packed(value) + "u.";
    return writeFileAtomically(pickle, *bytes);
}

std::vector<BlockName> namesOf(const RecordedBlocks& recorded)
{
    std::vector<BlockName> names;
    for (const RecordedBlock& block : recorded.blocks())
        names.push_back({componentOf(block), block.trained});
    return names;
}

} // namespace

Status nameBlocks(RunResult& result, const std::filesystem::path& snapshot, const std::filesystem::path& probe)
{
    auto file = ProbeFile::open(probe);
    if (!file)
        return badInput("record", "the recorder did not come to work");
    ProcessRecording process(std::move(*file));
    process.read(true);
    const SnapshotRecording& history = *result.recording;
    RecordedBlocks* blocks = process.of(static_cast<int>(history.replay.device));
    const std::vector<const HeldBlock*> held = blocksOf(history.replay);
    if (!blocks)
        return disagreement(fmt::format("{} allocations and none", held.size()));
    if (Status matched = match(*blocks, held); !matched)
        return matched;
    const Lines lines(*blocks, history, held);
    std::vector<std::string> notes;
    MemorySection memory =
        recordedMemory(*blocks, process.file.names(), notes, [&lines](std::size_t block) { return lines.of(block); });
    if (memory.peakBytes != result.memory->peakBytes)
        return disagreement(fmt::format("peaks of {} and {} bytes", result.memory->peakBytes, memory.peakBytes));
    memory.peakReservedBytes = result.memory->peakReservedBytes;
    if (!result.memory->snapshots.empty()) {
        memory.snapshots = std::move(result.memory->snapshots);
        for (Snapshot& mark : memory.snapshots) // of the history's own clock
            mark.timeSeconds += memory.timeline.timeSeconds.front();
        std::erase(memory.missing, "snapshots");
    }
    result.memory = std::move(memory);
    if (Status added = addMember(snapshot, kBlockNamesKey, blockNamesText(history.replay.device, namesOf(*blocks)));
        !added)
        return added;
    setRecorded(result);
    std::erase(result.notes, kInferredNote);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return Done{};
}

} // namespace peakscope
