// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/result_assembler.h"

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

constexpr std::size_t kLongestLiveTimeline = 2'000'000;
constexpr std::size_t kMergedLiveTimeline = 1'000'000;
constexpr const char* kLiveNote = "the memory section was made from the live events: the run's own summary of modules "
                                  "and operators had not come when it ended";

} // namespace

void ResultAssembler::add(const Event& event)
{
    if (!m_ended) {
        std::visit([this](const auto& one) { take(one); }, event);
    }
}

void ResultAssembler::take(const StartEvent& event)
{
    m_started = true;
    m_result.id = event.id;
    m_result.created = event.created;
    m_result.config = event.config;
    m_result.environment = event.environment;
    const auto kind = event.config.find("kind");
    if (kind != event.config.end() && kind->is_string()) {
        m_result.kind = kind->get<std::string>();
    }
}

void ResultAssembler::take(const PhaseEvent& event)
{
    m_live.phases.push_back({event.phase, event.step, event.timeSeconds});
    m_seconds = std::max(m_seconds, event.timeSeconds);
}

void ResultAssembler::take(const MemoryEvent& event)
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

void ResultAssembler::take(const SnapshotEvent& event)
{
    m_live.snapshots.push_back(event.snapshot);
}

void ResultAssembler::take(const EstimateEvent& event)
{
    m_course.add(event.name, {event.samples, event.mean, event.standardError, m_seconds});
}

void ResultAssembler::take(const StageEvent& event)
{
    if (event.data.is_object() && event.data.contains("curvature")) {
        m_course.addSection(event.data["curvature"], m_seconds);
    }
    if (const Status status = mergeSections(m_result, event.data); !status) {
        m_result.notes.push_back("the section \"" + event.name + "\" could not be read: " + status.error().text());
    }
}

void ResultAssembler::take(const EndEvent& event)
{
    m_ended = true;
    m_badInput = event.badInput;
    m_result.status = event.status;
    m_result.message = event.message;
    for (const std::string& note : event.notes) {
        if (std::find(m_result.notes.begin(), m_result.notes.end(), note) == m_result.notes.end()) {
            m_result.notes.push_back(note);
        }
    }
}

void ResultAssembler::workerGone(const std::string& sentence)
{
    m_gone = true;
    if (!m_ended) {
        m_result.status = RunStatus::Interrupted;
        m_result.message = sentence;
    }
}

bool ResultAssembler::liveSectionCounts() const
{
    if (m_timeline.size() == 0) {
        return false;
    }
    // A memory stage may have been followed by more work that peaked higher before the worker died.
    return !m_result.memory || (!m_ended && m_timeline.peakBytes() > m_result.memory->peakBytes);
}

MemorySection ResultAssembler::liveSection() const
{
    MemorySection memory = m_live;
    memory.peakBytes = m_timeline.peakBytes();
    memory.peakRequestedBytes = m_timeline.peakBytesWithout(Component::Rounding);
    memory.peakReservedBytes = std::max(memory.peakReservedBytes, memory.peakBytes);
    memory.peakTimeSeconds = m_timeline.peakSeconds();
    memory.peakComponents = m_timeline.peakComponents();
    memory.maxComponents = m_timeline.maxComponents();
    memory.timeline = m_timeline.data();
    if (m_result.memory) {
        memory.modules = m_result.memory->modules;
        memory.operators = m_result.memory->operators;
        memory.marks = m_result.memory->marks;
    }
    return memory;
}

RunResult ResultAssembler::result() const
{
    RunResult out = m_result;
    if (!m_course.empty()) {
        out.other["estimates"] = m_course.toJson();
    }
    if (liveSectionCounts()) {
        out.memory = liveSection();
        if (m_gone || m_ended) {
            out.notes.emplace_back(kLiveNote);
        }
    }
    return out;
}

} // namespace peakscope
