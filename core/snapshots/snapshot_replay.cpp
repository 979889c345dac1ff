// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The allocator's rules: c10/cuda/CUDACachingAllocator.cpp (round_size, should_split, try_merge_blocks).
#include "core/snapshots/snapshot_replay.h"

#include "core/snapshots/free_intervals.h"
#include "core/snapshots/snapshot_components.h"
#include "core/snapshots/snapshot_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

namespace peakscope {

namespace {

constexpr std::int64_t kLargestSum = std::int64_t{1} << 57;

bool opensSegment(SnapshotAction action)
{
    return action == SnapshotAction::SegmentAlloc || action == SnapshotAction::SegmentMap;
}

bool closesSegment(SnapshotAction action)
{
    return action == SnapshotAction::SegmentFree || action == SnapshotAction::SegmentUnmap;
}

class Replayer
{
public:
    Replayer(const CudaSnapshot& snapshot, std::int64_t device, const DeviceHistory* history,
             const SnapshotStart* start)
        : m_snapshot(snapshot), m_history(history), m_start(start), m_settings(recordedSettings(snapshot))
    {
        m_replay.device = device;
        m_replay.firstEvent = history ? history->first : 0;
        m_replay.events = static_cast<std::int64_t>(events().size());
    }

    Result<SnapshotReplay> run();
    Result<SnapshotStart> goOn(); // of which only the state is asked for

private:
    const std::vector<AllocatorEvent>& events() const;
    void readState();
    void findWhatWasBefore();
    void beginFrom(SnapshotStart start);
    SnapshotStart endState() const;
    Status applyAll();
    void apply(std::int64_t index, const AllocatorEvent& event);
    void allocate(std::int64_t index, const AllocatorEvent& event);
    void requestFree(std::int64_t index, const AllocatorEvent& event, bool completed);
    void completeFree(std::int64_t index, const AllocatorEvent& event);
    void note(SnapshotMeasure measure, std::int64_t event);
    std::int64_t& now(SnapshotMeasure measure) { return m_now[static_cast<std::size_t>(measure)]; }
    void compareWithEnd();
    void endWithTheHistory();

    const CudaSnapshot& m_snapshot;
    const DeviceHistory* m_history;
    const SnapshotStart* m_start; // null: it is found from the end
    SnapshotReplay m_replay;
    FreeHalves m_halves = FreeHalves::Both;
    AllocatorSettings m_settings;
    std::unordered_set<std::uint64_t> m_end; // blocks in use
    BeforeTheRecord m_before;
    FreeIntervals m_free;
    std::unordered_map<std::uint64_t, std::size_t> m_alive, m_waiting; // numbers in blocks
    std::array<std::int64_t, kSnapshotMeasures> m_now{};
};

const std::vector<AllocatorEvent>& Replayer::events() const
{
    static const std::vector<AllocatorEvent> kNone;
    return m_history ? m_history->events : kNone;
}

void Replayer::readState()
{
    for (const SnapshotSegment& segment : m_snapshot.segments) {
        if (segment.device != m_replay.device)
            continue;
        ++m_replay.endSegments;
        m_replay.endReservedBytes += segment.bytes;
        for (const SnapshotBlock& block : segment.blocks) {
            const BeforeTheRecord::Block known{block.requestedBytes, block.bytes, block.stack, segment.stream,
                                               segment.pool};
            if (block.state == BlockState::Active) {
                ++m_replay.endBlocks;
                m_replay.endAllocatedBytes += block.bytes;
                m_replay.endRequestedBytes += block.requestedBytes;
                m_end.insert(block.address);
                m_before.blocks[block.address] = known;
            } else if (block.state == BlockState::AwaitingFree) {
                m_replay.endAwaitingFreeBytes += block.bytes;
                m_before.waiting[block.address] = known;
            } else {
                m_replay.endInactiveBytes += block.bytes;
                m_replay.endLargestFreeBytes = std::max(m_replay.endLargestFreeBytes, block.bytes);
            }
        }
    }
}

// Backwards from the state at the end: what no event of the history allocated.
void Replayer::findWhatWasBefore()
{
    m_before.reserved = mappedAfter(m_snapshot, m_replay.device, events(), -1);
    for (auto event = events().rbegin(); event != events().rend(); ++event) {
        const SnapshotAction action = actionOf(*event, m_halves);
        const bool completed = action == SnapshotAction::FreeCompleted;
        const bool requested = action == SnapshotAction::FreeRequested || action == SnapshotAction::Free;
        if (!completed && !requested && action != SnapshotAction::Alloc)
            continue;
        m_before.blocks.erase(event->address);
        m_before.waiting.erase(event->address);
        if (completed || requested)
            (completed ? m_before.waiting : m_before.blocks)[event->address] = {event->bytes, -1, kNoStack,
                                                                                event->stream, event->pool};
    }
}

void Replayer::beginFrom(SnapshotStart start)
{
    m_replay.beforeReservedBytes = start.now[static_cast<std::size_t>(SnapshotMeasure::Reserved)];
    m_replay.beforeRequestedBytes = start.now[static_cast<std::size_t>(SnapshotMeasure::Requested)];
    m_replay.beforeAllocatedBytes = start.now[static_cast<std::size_t>(SnapshotMeasure::Allocated)];
    m_replay.beforeAwaitingFreeBytes =
        start.now[static_cast<std::size_t>(SnapshotMeasure::Active)] - m_replay.beforeAllocatedBytes;
    m_now = start.now;
    m_free = std::move(start.free);
    m_replay.blocks = std::move(start.blocks);
    const auto requests = std::count_if(events().begin(), events().end(), [](const AllocatorEvent& event) {
        return event.action == SnapshotAction::Alloc;
    });
    m_replay.blocks.reserve(m_replay.blocks.size() + static_cast<std::size_t>(requests));
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        const bool waits = block.freeRequested == kBeforeTheRange;
        (waits ? m_waiting : m_alive)[block.address] = i;
        m_replay.beforeBlocks += !waits;
    }
    for (std::size_t i = 0; i < kSnapshotMeasures; ++i)
        m_replay.peaks[i].bytes = m_now[i];
}

SnapshotStart Replayer::endState() const
{
    SnapshotStart state;
    state.device = m_replay.device;
    state.free = m_free;
    state.now = m_now;
    state.halves = m_halves;
    state.kind = m_start ? m_start->kind : m_replay.kind;
    std::vector<std::size_t> numbers;
    for (const auto* held : {&m_alive, &m_waiting}) {
        for (const auto& [address, number] : *held)
            numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    for (const std::size_t number : numbers) {
        HeldBlock block = m_replay.blocks[number];
        block.born = block.born >= 0 ? kBeforeTheRange : block.born;
        block.freeRequested = block.freeRequested == -1 ? -1 : kBeforeTheRange;
        state.blocks.push_back(block);
    }
    return state;
}

void Replayer::note(SnapshotMeasure measure, std::int64_t event)
{
    SnapshotPeak& peak = m_replay.peaks[static_cast<std::size_t>(measure)];
    if (now(measure) > peak.bytes)
        peak = {now(measure), event};
}

void Replayer::allocate(std::int64_t index, const AllocatorEvent& event)
{
    if (m_alive.contains(event.address)) {
        ++m_replay.takenTwice; // its free is not in the history
        requestFree(index, event, true);
    }
    completeFree(index, event); // of a block that waited here, whose completion is not in the history
    const std::int64_t need = roundedRequest(event.bytes, m_settings);
    const std::int64_t piece = m_free.take(event.address).value_or(need);
    const std::int64_t rest = piece - need;
    const bool split = rest > 0 && splitsPiece(need, rest, m_settings);
    const std::int64_t bytes = split ? need : std::max(piece, need);
    if (split)
        m_free.add(event.address + static_cast<std::uint64_t>(need), rest);
    m_alive[event.address] = m_replay.blocks.size();
    m_replay.blocks.push_back(
        {event.address, event.bytes, bytes, index, -1, -1, event.stack, event.stream, event.pool});
    now(SnapshotMeasure::Requested) += event.bytes;
    now(SnapshotMeasure::Allocated) += bytes;
    now(SnapshotMeasure::Active) += bytes;
    for (const SnapshotMeasure measure :
         {SnapshotMeasure::Requested, SnapshotMeasure::Allocated, SnapshotMeasure::Active})
        note(measure, index);
}

void Replayer::requestFree(std::int64_t index, const AllocatorEvent& event, bool completed)
{
    const auto alive = m_alive.find(event.address);
    if (alive == m_alive.end()) {
        ++m_replay.freedTwice;
        return;
    }
    HeldBlock& block = m_replay.blocks[alive->second];
    m_replay.otherSizes += event.action != SnapshotAction::Alloc && block.requestedBytes != event.bytes;
    block.freeRequested = index;
    now(SnapshotMeasure::Requested) -= block.requestedBytes;
    now(SnapshotMeasure::Allocated) -= block.bytes;
    m_waiting[event.address] = alive->second;
    m_alive.erase(alive);
    if (completed)
        completeFree(index, event);
}

void Replayer::completeFree(std::int64_t index, const AllocatorEvent& event)
{
    const auto waiting = m_waiting.find(event.address);
    if (waiting == m_waiting.end())
        return; // it was requested before the history
    HeldBlock& block = m_replay.blocks[waiting->second];
    block.freeCompleted = index;
    now(SnapshotMeasure::Active) -= block.bytes;
    m_free.add(block.address, block.bytes);
    m_waiting.erase(waiting);
}

void Replayer::apply(std::int64_t index, const AllocatorEvent& event)
{
    const SnapshotAction action = actionOf(event, m_halves);
    if (opensSegment(action)) {
        now(SnapshotMeasure::Reserved) += event.bytes;
        if (action == SnapshotAction::SegmentAlloc)
            m_free.addWall(event.address);
        m_free.add(event.address, event.bytes);
        note(SnapshotMeasure::Reserved, index);
    } else if (closesSegment(action)) {
        now(SnapshotMeasure::Reserved) -= event.bytes;
        m_free.cut(event.address, event.bytes);
        if (action == SnapshotAction::SegmentFree)
            m_free.removeWall(event.address);
    } else if (action == SnapshotAction::Alloc) {
        allocate(index, event);
    } else if (action == SnapshotAction::FreeRequested || action == SnapshotAction::Free) {
        requestFree(index, event, action == SnapshotAction::Free);
    } else if (action == SnapshotAction::FreeCompleted) {
        completeFree(index, event);
    } else if (action == SnapshotAction::OutOfMemory) {
        m_replay.outOfMemory.push_back({index, event.bytes, now(SnapshotMeasure::Reserved),
                                        now(SnapshotMeasure::Allocated), event.deviceFree, m_free.largest(),
                                        event.stack});
    }
}

void Replayer::compareWithEnd()
{
    if (m_snapshot.segments.empty())
        return;
    for (const auto& [address, number] : m_alive) {
        if (m_end.contains(address))
            continue;
        ++m_replay.unlisted;
        m_replay.unlistedBytes += m_replay.blocks[number].requestedBytes;
    }
}

// Where the file lists no segments: what the events left is all that is known of the end.
void Replayer::endWithTheHistory()
{
    if (!m_snapshot.segments.empty())
        return;
    m_replay.endAllocatedBytes = now(SnapshotMeasure::Allocated);
    m_replay.endRequestedBytes = now(SnapshotMeasure::Requested);
    m_replay.endReservedBytes = now(SnapshotMeasure::Reserved);
    m_replay.endAwaitingFreeBytes = now(SnapshotMeasure::Active) - now(SnapshotMeasure::Allocated);
    m_replay.endInactiveBytes =
        std::max<std::int64_t>(0, now(SnapshotMeasure::Reserved) - now(SnapshotMeasure::Active));
    m_replay.endLargestFreeBytes = m_free.largest();
    m_replay.endBlocks = static_cast<std::int64_t>(m_alive.size());
    m_replay.endSegments = static_cast<std::int64_t>(
        mappedAfter(m_snapshot, m_replay.device, events(), m_replay.events - 1).ranges().size());
}

Status Replayer::applyAll()
{
    for (std::int64_t i = 0; i < m_replay.events; ++i) {
        apply(i, events()[static_cast<std::size_t>(i)]);
        if (std::abs(now(SnapshotMeasure::Active)) > kLargestSum ||
            std::abs(now(SnapshotMeasure::Reserved)) > kLargestSum)
            return badInput(fmt::format("device_traces[{}][{}]", m_replay.device, m_replay.firstEvent + i),
                            "the sizes sum to more than 2^57 bytes");
    }
    return Done{};
}

Result<SnapshotStart> Replayer::goOn()
{
    m_halves = m_start->halves;
    beginFrom(*m_start);
    const Status applied = applyAll();
    return applied ? Result<SnapshotStart>(endState()) : applied.error();
}

Result<SnapshotReplay> Replayer::run()
{
    if (m_start) {
        m_halves = m_start->halves;
    } else {
        FreeHalvesFinder finder;
        for (const AllocatorEvent& event : events())
            finder.see(event);
        m_halves = finder.halves(m_snapshot.skippedActions);
    }
    readState();
    if (!m_start)
        findWhatWasBefore();
    beginFrom(m_start ? *m_start : startOf(m_snapshot, m_replay.device, m_before));
    if (const Status applied = applyAll(); !applied)
        return applied.error();
    if (m_history)
        findSteps(m_snapshot, *m_history, m_replay);
    compareWithEnd();
    endWithTheHistory();
    m_replay.kind = m_start ? m_start->kind
                    : m_snapshot.truncatedAt && m_replay.events > 0
                        ? HistoryKind::Cut
                        : historyKind(m_replay.events, m_history && m_history->overflowed,
                                      m_replay.stepsBeforeFirstEvent, m_before);
    if (m_history)
        inferComponents(m_snapshot, m_replay);
    annotatePhases(m_snapshot, m_replay);
    return std::move(m_replay);
}

} // namespace

std::int64_t SnapshotReplay::stepOf(std::int64_t event) const
{
    return std::upper_bound(stepEnds.begin(), stepEnds.end(), event) - stepEnds.begin() + 1;
}

OutOfMemoryCause OutOfMemory::cause() const
{
    const std::int64_t device = isLimited() ? 0 : std::max<std::int64_t>(0, deviceFreeBytes);
    if (askedBytes <= unallocatedBytes() + device && largestFreeBytes < askedBytes)
        return OutOfMemoryCause::Fragmented;
    return isLimited() ? OutOfMemoryCause::Limited : OutOfMemoryCause::TooBig;
}

AllocatorSettings recordedSettings(const CudaSnapshot& snapshot)
{
    AllocatorSettings settings;
    settings.expandableSegments = snapshot.setting("expandable_segments") == "True";
    if (const std::string split = snapshot.setting("max_split_size"); !split.empty() && split != "-1")
        settings.maxSplitBytes = std::strtoll(split.c_str(), nullptr, 10);
    if (const std::string divisions = snapshot.setting("roundup_power2_divisions"); !divisions.empty()) {
        if (auto read = allocatorSettings("roundup_power2_divisions:[" + divisions + "]"))
            settings.divisions = std::move(read->divisions);
    }
    return settings;
}

HistoryKind historyKind(std::int64_t events, bool overflowed, std::int64_t stepsBefore, const BeforeTheRecord& before)
{
    const bool lost = overflowed || (stepsBefore > 0 && !before.reserved.ranges().empty());
    return events == 0           ? HistoryKind::None
           : events == 1         ? HistoryKind::State
           : lost                ? HistoryKind::Cut
           : before.heldBlocks() ? HistoryKind::Late
                                 : HistoryKind::Whole;
}

Result<SnapshotReplay> replaySnapshot(const CudaSnapshot& snapshot, std::int64_t device)
{
    return Replayer(snapshot, device, snapshot.history(device), snapshot.start(device)).run();
}

Fullness fullnessOf(const SnapshotReplay& replay)
{
    return {replay.lastEnd() != nullptr, replay.hasPeak(),
            replay.hasPeak() ? replay.peak(SnapshotMeasure::Allocated).bytes : replay.endAllocatedBytes};
}

Result<std::vector<SnapshotReplay>> replayDevices(const CudaSnapshot& snapshot)
{
    std::vector<SnapshotReplay> replays;
    for (const std::int64_t device : snapshot.devices()) {
        auto replay = replaySnapshot(snapshot, device);
        if (!replay)
            return replay.error();
        replays.push_back(std::move(*replay));
    }
    const auto worst = std::ranges::max_element(replays, {}, fullnessOf);
    if (worst != replays.end())
        std::rotate(replays.begin(), worst, worst + 1);
    return replays;
}

Result<SnapshotStart> replayOn(const CudaSnapshot& snapshot, const SnapshotStart& start, const DeviceHistory& events)
{
    return Replayer(snapshot, start.device, &events, &start).goOn();
}

// The free memory and the blocks of the beginning, as far as the end tells them.
SnapshotStart startOf(const CudaSnapshot& snapshot, std::int64_t device, const BeforeTheRecord& before)
{
    SnapshotStart start;
    start.device = device;
    const AllocatorSettings settings = recordedSettings(snapshot);
    const auto now = [&](SnapshotMeasure measure) -> std::int64_t& {
        return start.now[static_cast<std::size_t>(measure)];
    };
    const auto count = [&](SnapshotMeasure measure, std::int64_t bytes) {
        now(measure) = std::min(now(measure) + bytes, 2 * kLargestSum); // of which the replay's first event says so
    };
    for (const SnapshotSegment& segment : snapshot.segments) {
        if (segment.device == device)
            start.free.addWall(segment.address);
    }
    for (const auto& [address, range] : before.reserved.ranges()) {
        if (!range.expandable)
            start.free.addWall(address);
        start.free.add(address, range.bytes);
        count(SnapshotMeasure::Reserved, range.bytes);
    }
    std::vector<std::pair<std::uint64_t, bool>> addresses; // and whether it waits
    for (const auto& [address, block] : before.blocks)
        addresses.emplace_back(address, false);
    for (const auto& [address, block] : before.waiting)
        addresses.emplace_back(address, true);
    std::sort(addresses.begin(), addresses.end());
    for (const auto& [address, waits] : addresses) {
        const BeforeTheRecord::Block& known = (waits ? before.waiting : before.blocks).at(address);
        const std::int64_t bytes = known.bytes >= 0 ? known.bytes : roundedRequest(known.requested, settings);
        start.free.cut(address, bytes);
        start.blocks.push_back({address, known.requested, bytes, -1, waits ? kBeforeTheRange : -1, -1, known.stack,
                                known.stream, known.pool});
        count(SnapshotMeasure::Active, bytes);
        if (waits)
            continue;
        count(SnapshotMeasure::Requested, known.requested);
        count(SnapshotMeasure::Allocated, bytes);
    }
    return start;
}

std::vector<std::int64_t> snapshotCurve(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                        SnapshotMeasure measure)
{
    std::vector<std::int64_t> curve(static_cast<std::size_t>(replay.events) + 1, 0);
    if (measure == SnapshotMeasure::Reserved) {
        curve[0] = replay.beforeReservedBytes;
        const DeviceHistory* history = snapshot.history(replay.device);
        for (std::size_t i = 0; history && i < history->events.size(); ++i) {
            const AllocatorEvent& event = history->events[i];
            curve[i + 1] = opensSegment(event.action) ? event.bytes : closesSegment(event.action) ? -event.bytes : 0;
        }
    }
    for (const HeldBlock& block : replay.blocks) {
        if (measure == SnapshotMeasure::Reserved)
            break;
        const std::int64_t bytes = measure == SnapshotMeasure::Requested ? block.requestedBytes : block.bytes;
        const std::int64_t end = measure == SnapshotMeasure::Active ? block.freeCompleted : block.freeRequested;
        if (end == kBeforeTheRange) // it waits, and no longer counts
            continue;
        curve[static_cast<std::size_t>(std::max<std::int64_t>(0, block.born + 1))] += bytes;
        if (end >= 0)
            curve[static_cast<std::size_t>(end + 1)] -= bytes;
    }
    for (std::size_t i = 1; i < curve.size(); ++i)
        curve[i] += curve[i - 1];
    return curve;
}

} // namespace peakscope
