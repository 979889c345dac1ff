// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/job_lines.h"

#include "app/jobs/job_words.h"
#include "app/jobs/sweep_files.h"
#include "app/library/documents.h"
#include "app/library/library_panel.h"
#include "app/parts/window_actions.h"
#include "widgets/text/language_texts.h"

#include <QAction>
#include <QStringList>

#include <limits>
#include <utility>

namespace peakscope {

JobLines::JobLines(JobQueue& jobs, const Documents& documents, const WindowActions& actions, LibraryPanel* library)
    : QObject(library), m_jobs(jobs), m_library(library)
{
    connect(&jobs, &JobQueue::changed, this, &JobLines::list);
    connect(&jobs, &JobQueue::heard, this, [this](int, const Event& event) {
        if (std::holds_alternative<ProgressEvent>(event))
            list();
    });
    // Once its line is there, which is made anew.
    connect(&documents, &Documents::opened, this, &JobLines::list, Qt::QueuedConnection);
    connect(library, &LibraryPanel::jobSelected, this, [this, &actions](int job) {
        const bool program = m_jobs.jobs(JobKind::Program).contains(job);
        actions.find(program ? QStringLiteral("program") : QStringLiteral("compareMethods"))->trigger();
    });
    connect(library, &LibraryPanel::jobStopRequested, &jobs, &JobQueue::stop);
    inLanguage(library, [this] { list(); });
}

void JobLines::list()
{
    std::set<int> gone;
    gone.swap(m_shown);
    for (const JobKind kind : {JobKind::Comparison, JobKind::Program}) {
        for (const auto& [id, job] : m_jobs.jobs(kind)) {
            show(id, kind, job);
            m_shown.insert(id);
            gone.erase(id);
        }
    }
    for (const int id : gone)
        m_library->removeRun(-id);
    for (const auto& [id, job] : m_jobs.jobs(JobKind::Sweep)) {
        if (const auto progress = m_jobs.progress(id))
            m_library->setState(sweepFileIn(job.output()), RunState::Running, progress->fraction);
    }
}

void JobLines::show(int id, JobKind kind, const Job& job)
{
    const auto progress = m_jobs.progress(id).value_or(ProgressEvent{});
    const RunState state = m_jobs.waits(id) ? RunState::Queued : RunState::Running;
    LibraryLine line;
    line.run = -id;
    line.section = LibrarySection::Runs;
    line.title = kindTitle(kind);
    line.status = stateTitle(state);
    QStringList parts{line.status, howFar(progress), nameOf(job.output())};
    parts.removeAll(QString());
    line.detail = parts.join(QStringLiteral(" · "));
    line.tip = job.output();
    line.state = static_cast<int>(state);
    line.fraction = progress.fraction > 0 ? progress.fraction : -1;
    line.time = std::numeric_limits<qint64>::max() - 1'000'000 + id; // above all files, as runs are
    m_library->model()->put(std::move(line));
}

} // namespace peakscope
