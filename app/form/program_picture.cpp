// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/program_picture.h"

#include "widgets/timeline/timeline_span.h"

namespace peakscope {

ProgramPicture::ProgramPicture(ProgramRuns& runs, QWidget* parent) : MemoryTimelineView(parent), m_runs(runs)
{
    setObjectName(QStringLiteral("dryTimeline"));
    setBadge([] { return tr("dry run"); });
    suggestFollowSeconds(kLastSteps);
    hide();
    connect(&runs, &ProgramRuns::told, this, &ProgramPicture::take);
}

void ProgramPicture::showRow(int row)
{
    const auto& rows = m_runs.rows();
    const ProgramRow* chosen = row >= 0 && row < std::ssize(rows) ? &rows[static_cast<std::size_t>(row)] : nullptr;
    m_row = row;
    const auto past = chosen ? chosen->past : nullptr;
    if (past != m_past) {
        m_past = past;
        beginLive();
        if (past) {
            for (const PhaseMark& phase : past->phases)
                addPhase(phase);
            for (const MemoryEvent& memory : past->memory)
                add(memory);
        }
    }
    setVisible(past && !past->memory.empty());
    if (chosen && chosen->state != ProgramRow::State::Running)
        endLive();
}

void ProgramPicture::take(int row, const Event& event)
{
    if (row != m_row)
        return;
    if (m_past != m_runs.rows()[static_cast<std::size_t>(row)].past) {
        showRow(row); // with this event
        return;
    }
    if (const auto* phase = std::get_if<PhaseEvent>(&event))
        addPhase({phase->phase, phase->step, phase->timeSeconds});
    if (const auto* memory = std::get_if<MemoryEvent>(&event))
        add(*memory);
    setVisible(!m_past->memory.empty());
}

void ProgramPicture::add(const MemoryEvent& memory)
{
    appendLive(memory.timeSeconds, memory.deltaBytes, memory.component);
    if (!memory.timeSeconds.empty() && memory.reservedBytes > memory.allocatedBytes)
        appendReserved(memory.timeSeconds.back(), memory.reservedBytes);
}

} // namespace peakscope
