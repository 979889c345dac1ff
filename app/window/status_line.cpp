// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include "app/jobs/job_queue.h"
#include "app/jobs/job_words.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "core/base/units.h"
#include "widgets/text/language_texts.h"

#include <QFileInfo>
#include <QTimer>

namespace peakscope {

StatusLine::StatusLine(const JobQueue& jobs, const RunQueue& queue, const Documents& documents, QWidget* parent)
    : QLabel(parent), m_jobs(jobs), m_queue(queue), m_documents(documents)
{
    setObjectName(QStringLiteral("statusText"));
    setTextFormat(Qt::PlainText);
    setContentsMargins(8, 0, 0, 0);
    for (const auto signal : {&RunQueue::runAdded, &RunQueue::runChanged, &RunQueue::runFinished})
        connect(&queue, signal, this, &StatusLine::say);
    connect(&jobs, &JobQueue::changed, this, &StatusLine::say);
    connect(&jobs, &JobQueue::heard, this, [this](int, const Event& event) {
        if (std::holds_alternative<ProgressEvent>(event))
            say();
    });
    // Reading under a tenth of a second needs no sign.
    connect(&documents, &Documents::loadBegun, this, [this] { QTimer::singleShot(100, this, &StatusLine::say); });
    connect(&documents, &Documents::finished, this, &StatusLine::say);
    inLanguage(this, [this] { say(); });
}

void StatusLine::say()
{
    if (const QString file = m_documents.reading(); !file.isEmpty()) {
        setText(tr("Reading %1 …").arg(QFileInfo(file).fileName()));
        return;
    }
    QStringList parts;
    const auto add = [&parts](const QString& what, const ProgressEvent& progress) {
        parts << what;
        if (const QString far = howFar(progress); !far.isEmpty())
            parts << far;
        if (const auto& left = progress.remainingSeconds)
            parts << tr("%1 left").arg(QString::fromStdString(formatSeconds(*left)));
    };
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (info->state == RunState::Running || info->state == RunState::Stopping)
            add(info->title, {.fraction = info->fraction, .remainingSeconds = info->remainingSeconds, .message = {}});
    }
    for (const JobKind kind : {JobKind::Sweep, JobKind::Comparison, JobKind::Program}) {
        if (const auto id = m_jobs.running(kind))
            add(kindTitle(kind), m_jobs.progress(*id).value_or(ProgressEvent{}));
    }
    const int waiting = m_jobs.waiting();
    if (parts.isEmpty())
        parts << (waiting > 0 ? tr("Waiting: %1").arg(waiting) : tr("Ready"));
    else if (waiting > 0)
        parts << tr("waiting: %1").arg(waiting);
    setText(parts.join(QStringLiteral("  ·  ")));
}

} // namespace peakscope
