// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/named_blocks.h"

#include "core/base/file.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/recording/card_memory.h"
#include "core/recording/recorded_memory.h"
#include "core/results/component_reading.h"
#include "core/results/run_instant.h"
#include "core/snapshots/snapshot_components.h"
#include "core/snapshots/snapshot_recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

namespace {

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
        return badInput(pickle.string(), "is not a pickle");
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

Status nameBlocks(RunResult& result, const std::filesystem::path& snapshot, const std::filesystem::path& probe,
                  LiveRecording* recording)
{
    auto file = ProbeFile::open(probe);
    if (!file)
        return badInput("record", "the recorder was not attached");
    // What was read while the program ran is no more in its file.
    ProcessRecording* const live = recording ? recording->of(file->process()) : nullptr;
    ProcessRecording ended(std::move(*file));
    if (!live)
        ended.read(true);
    ProcessRecording& process = live ? *live : ended;
    const SnapshotRecording& history = *result.recording;
    RecordedBlocks* blocks = process.of(static_cast<int>(history.replay.device));
    if (!blocks)
        return badInput("record", "the recorder saw no allocation of the card");
    std::vector<std::string> notes;
    auto memory = cardMemory(*blocks, process.file.names(), history, notes);
    if (!memory)
        return memory.error();
    if (!result.memory->snapshots.empty()) {
        memory->snapshots = std::move(result.memory->snapshots);
        for (Snapshot& mark : memory->snapshots) // of the history's own clock
            mark.timeSeconds += memory->timeline.timeSeconds.front();
        std::erase(memory->missing, "snapshots");
    }
    result.memory = std::move(*memory);
    if (Status added = addMember(snapshot, kBlockNamesKey, blockNamesText(history.replay.device, namesOf(*blocks)));
        !added)
        return added;
    if (const auto seconds = ranOutSeconds(*blocks))
        result.other[kRanOutKey] = *seconds;
    setRecorded(result);
    std::erase(result.notes, kInferredNote);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return Done{};
}

} // namespace peakscope
