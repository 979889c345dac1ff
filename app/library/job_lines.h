// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of the library for what waits or runs beside the runs: comparisons of methods and dry programs, until they are
// over and their results have lines of their own. A sweep has its file's line, which says how far it is. GUI thread.
#pragma once

#include "app/jobs/job_queue.h"

#include <QObject>

#include <set>

namespace peakscope {

class Documents;
class LibraryPanel;
class WindowActions;

class JobLines : public QObject
{
    Q_OBJECT

public:
    // A click on one triggers the action that shows what there is of it: "program", "compareMethods".
    JobLines(JobQueue& jobs, const Documents& documents, const WindowActions& actions, LibraryPanel* library);

private:
    void list();
    void show(int id, JobKind kind, const Job& job);

    JobQueue& m_jobs;
    LibraryPanel* m_library;
    std::set<int> m_shown;
};

} // namespace peakscope
