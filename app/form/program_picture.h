// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the program of the chosen row asks its stand-in for, over time, while it runs dry. Hidden where it has said
// nothing of that. Part of the dialog of programs; GUI thread.
#pragma once

#include "app/jobs/program_runs.h"
#include "widgets/timeline/memory_timeline_view.h"

namespace peakscope {

class ProgramPicture : public MemoryTimelineView
{
    Q_OBJECT

public:
    ProgramPicture(ProgramRuns& runs, QWidget* parent);

    void showRow(int row); // of the runs; none there: nothing is shown

private:
    void take(int row, const Event& event);
    void add(const MemoryEvent& memory);

    ProgramRuns& m_runs;
    int m_row = -1;
    std::shared_ptr<const ProgramPast> m_past; // of that row
};

} // namespace peakscope
