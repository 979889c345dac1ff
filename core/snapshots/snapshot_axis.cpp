// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_axis.h"

#include <algorithm>
#include <limits>

namespace peakscope {

namespace {

const std::vector<AllocatorEvent>& eventsOf(const SnapshotRecording& recording)
{
    static const std::vector<AllocatorEvent> kNone;
    const DeviceHistory* history = recording.snapshot->history(recording.replay.device);
    return history ? history->events : kNone;
}

} // namespace

SnapshotPlaces::SnapshotPlaces(const SnapshotRecording& recording, SnapshotAxis axis)
    : m_events(eventsOf(recording)), m_stepEnds(recording.replay.stepEnds), m_axis(axis)
{}

double SnapshotPlaces::of(std::int64_t event) const
{
    if (m_events.empty() || m_axis == SnapshotAxis::Events)
        return static_cast<double>(event);
    const auto count = static_cast<std::int64_t>(m_events.size());
    if (m_axis == SnapshotAxis::Time) {
        const AllocatorEvent& at = m_events[static_cast<std::size_t>(std::clamp<std::int64_t>(event, 0, count - 1))];
        return static_cast<double>(at.timeMicros - m_events.front().timeMicros) / 1e6;
    }
    const auto next = std::upper_bound(m_stepEnds.begin(), m_stepEnds.end(), event);
    const std::int64_t begin = next == m_stepEnds.begin() ? 0 : *(next - 1);
    const std::int64_t end = std::max(next == m_stepEnds.end() ? count : *next, begin + 1);
    return static_cast<double>(next - m_stepEnds.begin()) +
           static_cast<double>(event - begin) / static_cast<double>(end - begin);
}

std::int64_t SnapshotPlaces::eventAt(double place) const
{
    std::int64_t low = -1, high = static_cast<std::int64_t>(m_events.size()) - 1;
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        if (of(middle) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

SnapshotTimeline snapshotTimeline(const SnapshotRecording& recording, SnapshotAxis axis)
{
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    const std::vector<HeldBlock>& blocks = recording.replay.blocks;
    SnapshotTimeline timeline;
    // An event allocates one block at most, and frees one at most.
    const auto events = static_cast<std::size_t>(recording.replay.events);
    std::vector<std::uint32_t> born(events, kNone), freed(events, kNone);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].freeRequested == kBeforeTheRange)
            continue;
        if (blocks[i].born < 0)
            timeline.before[static_cast<std::size_t>(blocks[i].component)] += blocks[i].bytes;
        else
            born[static_cast<std::size_t>(blocks[i].born)] = static_cast<std::uint32_t>(i);
        if (blocks[i].freeRequested >= 0)
            freed[static_cast<std::size_t>(blocks[i].freeRequested)] = static_cast<std::uint32_t>(i);
    }
    const SnapshotPlaces places(recording, axis);
    const std::size_t most = std::min(2 * blocks.size(), 2 * events);
    timeline.data.timeSeconds.reserve(most);
    timeline.data.deltaBytes.reserve(most);
    timeline.data.component.reserve(most);
    const auto add = [&](std::size_t event, std::uint32_t block, int sign) {
        if (block == kNone)
            return;
        timeline.data.timeSeconds.push_back(places.of(static_cast<std::int64_t>(event)));
        timeline.data.deltaBytes.push_back(sign * blocks[block].bytes);
        timeline.data.component.push_back(blocks[block].component);
    };
    for (std::size_t event = 0; event < events; ++event) {
        add(event, freed[event], -1);
        add(event, born[event], 1);
    }
    return timeline;
}

MemoryTimeline timelineAlong(const SnapshotRecording& recording, SnapshotAxis axis)
{
    const SnapshotTimeline events = snapshotTimeline(recording, axis);
    const double begin = SnapshotPlaces(recording, axis).of(0); // past the steps that a cut history has lost
    TimelineData before;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (events.before[i] == 0)
            continue;
        before.timeSeconds.push_back(begin);
        before.deltaBytes.push_back(events.before[i]);
        before.component.push_back(static_cast<Component>(i));
    }
    MemoryTimeline timeline(before);
    timeline.append(events.data.timeSeconds, events.data.deltaBytes, events.data.component);
    return timeline;
}

PlacedBytes reservedAlong(const SnapshotRecording& recording, SnapshotAxis axis)
{
    const SnapshotPlaces places(recording, axis);
    const std::vector<std::int64_t> curve =
        snapshotCurve(*recording.snapshot, recording.replay, SnapshotMeasure::Reserved);
    PlacedBytes course;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (i > 0 && curve[i] == curve[i - 1])
            continue;
        course.places.push_back(places.of(i == 0 ? 0 : static_cast<std::int64_t>(i) - 1));
        course.bytes.push_back(std::max<std::int64_t>(0, curve[i]));
    }
    return course;
}

std::vector<PhaseMark> snapshotPhases(const SnapshotRecording& recording, SnapshotAxis axis)
{
    const SnapshotPlaces places(recording, axis);
    std::vector<PhaseMark> marks;
    for (const SnapshotPhase& phase : recording.replay.phases)
        marks.push_back({phase.phase, phase.step, places.of(phase.event)});
    return marks;
}

std::shared_ptr<RunResult> resultAlong(const RunResult& run, SnapshotAxis axis)
{
    auto placed = std::make_shared<RunResult>(run);
    placed->memory->timeline = timelineAlong(*run.recording, axis).data();
    placed->memory->phases = snapshotPhases(*run.recording, axis);
    return placed;
}

} // namespace peakscope
