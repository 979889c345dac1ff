// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "core/base/units.h"
#include "widgets/text/language_texts.h"

#include <QFileInfo>
#include <QTimer>

namespace peakscope {

StatusLine::StatusLine(const RunQueue& queue, const Documents& documents, QWidget* parent)
    : QLabel(parent), m_queue(queue), m_documents(documents)
{
    setObjectName(QStringLiteral("statusText"));
    setTextFormat(Qt::PlainText);
    setContentsMargins(8, 0, 0, 0);
    for (const auto signal : {&RunQueue::runAdded, &RunQueue::runChanged, &RunQueue::runFinished})
        connect(&queue, signal, this, &StatusLine::say);
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
    int waiting = 0;
    const RunInfo* running = nullptr;
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        waiting += info->state == RunState::Queued ? 1 : 0;
        if (info->state == RunState::Running || info->state == RunState::Stopping)
            running = info;
    }
    if (!running) {
        setText(waiting > 0 ? tr("Waiting: %1").arg(waiting) : tr("Ready"));
        return;
    }
    QStringList parts{running->title, QLocale().toString(qRound(running->fraction * 100)) + QStringLiteral(" %")};
    if (running->remainingSeconds)
        parts << tr("%1 left").arg(QString::fromStdString(formatSeconds(*running->remainingSeconds)));
    if (waiting > 0)
        parts << tr("waiting: %1").arg(waiting);
    setText(parts.join(QStringLiteral("  ·  ")));
}

} // namespace peakscope
