// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/live_memory.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::size_t kLongestLiveTimeline = 2'000'000;
constexpr std::size_t kMergedLiveTimeline = 1'000'000;

} // namespace

void LiveMemory::take(const PhaseEvent& event)
{
    m_live.phases.push_back({event.phase, event.step, event.timeSeconds});
    m_seconds = std::max(m_seconds, event.timeSeconds);
}

void LiveMemory::take(const MemoryEvent& event)
{
    m_timeline.append(event.timeSeconds, event.deltaBytes, event.component);
    if (!event.timeSeconds.empty()) {
        m_seconds = std::max(m_seconds, event.timeSeconds.back());
    }
    m_live.peakReservedBytes = std::max(m_live.peakReservedBytes, event.reservedBytes);
    m_live.peakResidentBytes = std::max(m_live.peakResidentBytes, event.residentBytes);
    if (m_timeline.size() > kLongestLiveTimeline) {
        m_timeline = MemoryTimeline(m_timeline.data(kMergedLiveTimeline));
    }
}

void LiveMemory::take(const SnapshotEvent& event)
{
    m_live.snapshots.push_back(event.snapshot);
}

bool LiveMemory::counts(const std::optional<MemorySection>& told, bool ended) const
{
    if (m_timeline.size() == 0) {
        return false;
    }
    // A memory stage may have been followed by more work that peaked higher before the worker died.
    return !told || (!ended && m_timeline.peakBytes() > told->peakBytes);
}

MemorySection LiveMemory::section(const std::optional<MemorySection>& told) const
{
    MemorySection memory = m_live;
    memory.peakBytes = m_timeline.peakBytes();
    memory.peakRequestedBytes = m_timeline.peakBytesWithout(Component::Rounding);
    memory.peakReservedBytes = std::max(memory.peakReservedBytes, memory.peakBytes);
    memory.peakTimeSeconds = m_timeline.peakSeconds();
    memory.peakComponents = m_timeline.peakComponents();
    memory.maxComponents = m_timeline.maxComponents();
    memory.timeline = m_timeline.data();
    if (told) {
        memory.modules = told->modules;
        memory.operators = told->operators;
        memory.marks = told->marks;
    }
    return memory;
}

} // namespace peakscope
