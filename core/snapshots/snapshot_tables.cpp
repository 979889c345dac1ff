// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_tables.h"

#include "core/base/csv_text.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_holders.h"
#include "core/snapshots/snapshot_instant.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

// Events and blocks may be millions: their cells are written as they come, without a Table between.
class CsvLines
{
public:
    explicit CsvLines(std::string_view header) { m_text = std::string(header) + "\r\n"; }

    template <typename... Cells>
    void add(const Cells&... cells)
    {
        bool first = true;
        ((m_text += first ? "" : ",", first = false, put(cells)), ...);
        m_text += "\r\n";
    }
    std::string take() { return std::move(m_text); }

private:
    void put(std::int64_t number) { fmt::format_to(std::back_inserter(m_text), "{}", number); }
    void put(std::string_view text) { m_text += csvCell(std::string(text)); }

    std::string m_text;
};

// Of what may not be there.
std::string numberOrNothing(std::int64_t number)
{
    return number < 0 ? std::string() : std::to_string(number);
}

std::string addressText(std::uint64_t address)
{
    return fmt::format("{:#x}", address);
}

std::string stepText(const SnapshotReplay& replay, std::int64_t event)
{
    return replay.stepEnds.empty() || event < 0 ? std::string() : std::to_string(replay.stepOf(event));
}

// Stacks are said once a number, and events and blocks name it: no stack is nothing.
std::string stackNumber(std::uint32_t stack)
{
    return stack == kNoStack ? std::string() : std::to_string(stack);
}

std::string eventsCsv(const SnapshotRecording& recording)
{
    const CudaSnapshot& snapshot = *recording.snapshot;
    CsvLines lines("event,action,address,bytes,time_us,step,stream,pool,stack,metadata");
    const DeviceHistory* history = snapshot.history(recording.replay.device);
    for (std::size_t i = 0; history && i < history->events.size(); ++i) {
        const AllocatorEvent& event = history->events[i];
        const auto number = static_cast<std::int64_t>(i);
        lines.add(number, name(event.action), addressText(event.address), event.bytes, event.timeMicros,
                  stepText(recording.replay, number), std::to_string(snapshot.streams[event.stream]),
                  snapshot.pools[event.pool], stackNumber(event.stack), snapshot.texts[event.metadata]);
    }
    return lines.take();
}

std::string blocksCsv(const SnapshotRecording& recording)
{
    const CudaSnapshot& snapshot = *recording.snapshot;
    CsvLines lines("address,requested_bytes,block_bytes,component,born_event,born_step,freed_event,completed_event,"
                   "stream,pool,stack");
    for (const HeldBlock& block : recording.replay.blocks)
        lines.add(addressText(block.address), block.requestedBytes, block.bytes, name(block.component),
                  numberOrNothing(block.born), stepText(recording.replay, block.born),
                  numberOrNothing(block.freeRequested), numberOrNothing(block.freeCompleted),
                  std::to_string(snapshot.streams[block.stream]), snapshot.pools[block.pool], stackNumber(block.stack));
    return lines.take();
}

std::string stacksCsv(const SnapshotRecording& recording)
{
    const CudaSnapshot& snapshot = *recording.snapshot;
    CsvLines lines("stack,line,frames");
    for (std::uint32_t i = 1; i + 1 < snapshot.stackStarts.size(); ++i)
        lines.add(std::int64_t{i}, snapshotLine(snapshot, i), snapshotStack(snapshot, i));
    return lines.take();
}

// Each with the most that was allocated within it; the last line may be of a step that was not finished.
std::string stepsCsv(const SnapshotRecording& recording)
{
    const SnapshotReplay& replay = recording.replay;
    const std::vector<std::int64_t> curve = snapshotCurve(*recording.snapshot, replay, SnapshotMeasure::Allocated);
    CsvLines lines("step,first_event,last_event,peak_allocated_bytes,peak_event,end_allocated_bytes");
    std::vector<std::int64_t> ends = replay.stepEnds;
    if (!ends.empty() && ends.back() < replay.events)
        ends.push_back(replay.events);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i] > begin) { // else it ended before the record
            const auto highest = std::max_element(curve.begin() + begin + 1, curve.begin() + ends[i] + 1);
            lines.add(static_cast<std::int64_t>(i + 1), begin, ends[i] - 1, *highest,
                      static_cast<std::int64_t>(highest - curve.begin()) - 1, curve[static_cast<std::size_t>(ends[i])]);
        }
        begin = ends[i];
    }
    return lines.take();
}

std::string holdersCsv(const SnapshotRecording& recording)
{
    return toCsv(snapshotHoldersTable(
        snapshotHolders(*recording.snapshot, recording.replay, firstSight(recording.replay), HolderKey::Line)));
}

std::string segmentsCsv(const SnapshotRecording& recording)
{
    const SegmentMap map = segmentMap(*recording.snapshot, recording.replay, recording.replay.events - 1);
    return toCsv(segmentPiecesTable(*recording.snapshot, recording.replay, map));
}

} // namespace

const std::vector<SnapshotCsv>& snapshotCsvs()
{
    static const std::vector<SnapshotCsv> kAll{{"events", &eventsCsv},   {"blocks", &blocksCsv},
                                               {"stacks", &stacksCsv},   {"steps", &stepsCsv},
                                               {"holders", &holdersCsv}, {"segments", &segmentsCsv}};
    return kAll;
}

} // namespace peakscope
