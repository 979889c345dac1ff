// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/recorded_ring.h"

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

constexpr std::size_t kMostKept = 2'000'000; // of steps that are kept; then half of them go

template <typename T>
std::vector<T> pieceOf(const std::vector<T>& list, std::size_t begin, std::size_t end)
{
    return {list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end)};
}

} // namespace

RecordedRing::RecordedRing(const RecordedRing& other, const RecordedBlocks& blocks)
    : m_steps(other.m_steps), m_stepBegin(other.m_stepBegin), m_began(other.m_began)
{
    m_begins.push_back(beginOf(other.m_begins.back().step, m_stepBegin, blocks));
}

RecordedRing::Begin RecordedRing::beginOf(std::int64_t step, std::int64_t nanoseconds,
                                          const RecordedBlocks& blocks) const
{
    Begin begin{step, m_forgotten.entries + blocks.entries().size(), m_forgotten.marks + blocks.marks().size(),
                nanoseconds};
    if (!blocks.marks().empty())
        begin.atWork = blocks.marks().back();
    return begin;
}

void RecordedRing::add(const ProbeEvent& event, const RecordedBlocks& blocks)
{
    const std::size_t count = m_forgotten.entries + blocks.entries().size();
    for (; m_seen < count; ++m_seen) {
        const RecordedBlocks::Entry& entry = blocks.entries()[m_seen - m_forgotten.entries];
        if (entry.free)
            m_growth.died(entry.block, blocks.blocks()[entry.block]);
        else
            m_growth.born(entry.block);
    }
    m_peak = std::max(m_peak, blocks.liveBytes());
    if (event.kind == ProbeKind::Phase && event.step >= 0 && !std::exchange(m_began, true))
        firstStepBegins(event.nanoseconds, blocks);
    if (event.kind == ProbeKind::StepEnd)
        stepEnds(event.nanoseconds, blocks);
}

// What was before it counts for itself.
void RecordedRing::firstStepBegins(std::int64_t nanoseconds, const RecordedBlocks& blocks)
{
    m_highest = m_peak;
    m_best = lastWindow(-1, blocks);
    m_stepBegin = nanoseconds;
    m_peak = blocks.liveBytes();
}

// The kept steps that end with this one, and all that came before it where nothing was forgotten by then.
RecordedRing::Window RecordedRing::lastWindow(std::int64_t lastStep, const RecordedBlocks& blocks) const
{
    const auto most = static_cast<std::size_t>(m_steps);
    const Begin& first = m_begins[m_begins.size() - std::min(m_begins.size(), most)];
    return {first, lastStep, m_forgotten.entries + blocks.entries().size(), m_forgotten.marks + blocks.marks().size()};
}

void RecordedRing::stepEnds(std::int64_t nanoseconds, const RecordedBlocks& blocks)
{
    const std::int64_t step = m_begins.back().step;
    m_rows.push_back({step, m_peak, blocks.liveBytes(), static_cast<double>(nanoseconds - m_stepBegin) * 1e-9});
    m_growth.stepEnds(blocks.blocks());
    if (m_peak > m_highest) {
        m_highest = m_peak;
        m_best = lastWindow(step, blocks);
        m_saved.reset();
    }
    m_begins.push_back(beginOf(step + 1, nanoseconds, blocks));
    if (m_begins.size() > static_cast<std::size_t>(m_steps) + 1)
        m_begins.pop_front();
    m_stepBegin = nanoseconds;
    m_peak = blocks.liveBytes();
    m_ended = true;
}

RecordedBlocks::Part RecordedRing::partOf(const Window& window, const RecordedBlocks& blocks) const
{
    const std::size_t begin = window.first.entry - m_forgotten.entries;
    return {blocks.aliveBefore(begin), pieceOf(blocks.entries(), begin, window.endEntry - m_forgotten.entries),
            pieceOf(blocks.marks(), window.first.mark - m_forgotten.marks, window.endMark - m_forgotten.marks)};
}

void RecordedRing::cutTo(std::size_t entry, const RecordedBlocks& blocks)
{
    while (m_begins.size() > 1 && m_begins[1].entry <= entry)
        m_begins.pop_front();
    Begin& first = m_begins.front();
    if (first.entry >= entry)
        return;
    first.entry = entry;
    first.cut = true;
    first.nanoseconds = blocks.entries()[entry - m_forgotten.entries].nanoseconds;
    for (; first.mark < m_forgotten.marks + blocks.marks().size(); ++first.mark) {
        const RecordedBlocks::Mark& mark = blocks.marks()[first.mark - m_forgotten.marks];
        if (mark.nanoseconds > first.nanoseconds)
            break;
        first.atWork = mark;
    }
}

RecordedRing::Forgotten RecordedRing::forget(RecordedBlocks& blocks)
{
    const bool many = blocks.entries().size() > kMostKept;
    if (!std::exchange(m_ended, false) && !many)
        return {};
    if (many)
        cutTo(m_forgotten.entries + blocks.entries().size() - kMostKept / 2, blocks);
    const Begin& first = m_begins.front();
    if (m_highest >= 0 && !m_saved && m_best.first.entry < first.entry)
        m_saved = partOf(m_best, blocks);
    Forgotten now{first.entry - m_forgotten.entries, first.mark - m_forgotten.marks};
    blocks.forget(now.entries, now.marks, m_saved ? &*m_saved : nullptr);
    m_forgotten.entries += now.entries;
    m_forgotten.marks += now.marks;
    return now;
}

// Of the recording.
bool RecordedRing::isBegin(const Begin& begin)
{
    return begin.entry == 0 && begin.mark == 0;
}

RecordedWindow RecordedRing::window(const RecordedBlocks& blocks, bool ranOut) const
{
    RecordedWindow window;
    const bool last = ranOut || m_peak > m_highest; // of the step that has not ended
    const std::int64_t step = m_begins.back().step;
    const bool whole = m_forgotten.entries == 0 && m_forgotten.marks == 0 && blocks.older().empty();
    Window of = last || whole ? lastWindow(step, blocks) : m_best;
    if (whole)
        of.first = m_begins.front();
    window.part = !last && !whole && m_saved ? *m_saved : partOf(of, blocks);
    window.whole = whole;
    window.begin = isBegin(of.first) ? blocks.begin() : of.first.nanoseconds;
    window.ranOut = ranOut;
    window.peakBytes = last ? m_peak : m_highest;
    window.firstStep = of.first.step;
    window.lastStep = of.lastStep;
    window.cut = of.first.cut;
    if (!isBegin(of.first)) {
        RecordedBlocks::Mark begins = of.first.atWork;
        begins.step = of.first.step;
        begins.nanoseconds = of.first.nanoseconds;
        window.part.marks.insert(window.part.marks.begin(), begins);
    }
    return window;
}

} // namespace peakscope
