// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/closing.h"

#include "app/jobs/job_queue.h"
#include "app/jobs/run_queue.h"
#include "app/parts/message_bar.h"

#include <QGuiApplication>
#include <QMainWindow>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <utility>

namespace peakscope {

namespace {
struct UnderWay {
    QString run = {}; // its title; empty: none
    int waiting = 0;  // more in the queue
    bool sweep = false, methods = false, programs = false;
    std::optional<std::int64_t> fitted = {}; // runs of a search that goes on

    bool any() const { return !run.isEmpty() || waiting > 0 || sweep || methods || programs || fitted; }
};

QString words(const UnderWay& going)
{
    QStringList sentences;
    if (!going.run.isEmpty())
        sentences
            << Closing::tr("“%1” is under way: closing stops it, and what it measured so far is kept.").arg(going.run);
    if (going.sweep)
        sentences << Closing::tr("A sweep is under way: closing stops it, and its finished points are kept.");
    if (going.methods)
        sentences << Closing::tr(
            "A comparison of methods is under way: closing stops it, and its finished runs are kept.");
    if (going.programs)
        sentences << Closing::tr("A dry run of a program is under way: closing stops it; finished results are kept.");
    if (going.fitted) // its result is written at its end
        sentences << Closing::tr("A search for the largest value that fits is under way: closing stops it, and its "
                                 "finished runs are lost (%1).")
                         .arg(*going.fitted);
    if (going.waiting > 0)
        sentences << Closing::tr("%n more wait in the queue.", "runs", going.waiting);
    return sentences.join(u' ');
}
} // namespace

Closing::Closing(QMainWindow& window, MessageBar& messages, JobQueue& jobs, RunQueue& queue)
    : QObject(&window), m_window(window), m_messages(messages), m_jobs(jobs), m_queue(queue)
{
    connect(&m_queue, &RunQueue::runFinished, this, &Closing::onEnded);
    connect(&m_jobs, &JobQueue::changed, this, &Closing::onEnded);
    connect(&m_queue, &RunQueue::stopped, this, [this] {
        if (m_stopping)
            m_window.close();
    });
}

// Not where the user's whole session ends, which waits for nobody.
bool Closing::asks()
{
    if (m_stopping || m_mayStop || qGuiApp->isSavingSession())
        return false;
    UnderWay going{.waiting = m_jobs.waiting(),
                   .sweep = m_jobs.running(JobKind::Sweep).has_value(),
                   .methods = m_jobs.running(JobKind::Comparison).has_value()};
    for (const auto& [id, job] : m_jobs.jobs(JobKind::Program)) {
        if (m_jobs.waits(id))
            continue;
        if (job.words().value(0) == QLatin1String("fit"))
            going.fitted = going.fitted.value_or(0) + m_jobs.progress(id).value_or(ProgressEvent{}).done;
        else
            going.programs = true;
    }
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (info->state != RunState::Queued && !isFinished(info->state))
            going.run = info->title;
    }
    if (!going.any())
        return false;
    m_question = m_messages.showMessage(MessageBar::Kind::Warning, [going] { return words(going); },
                                        {{[] { return tr("Stop and close"); },
                                          [this] {
                                              m_mayStop = true;
                                              m_window.close();
                                          }},
                                         {[] { return tr("Don't close"); }, [this] { m_messages.dismiss(); }}});
    m_messages.outlastPage();
    if (m_window.isMinimized())
        m_window.showNormal();
    m_window.raise();
    m_window.activateWindow();
    return true;
}

bool Closing::asking() const
{
    return m_messages.shows(m_question);
}

bool Closing::underWay() const
{
    return m_queue.busy() || m_jobs.busy();
}

bool Closing::stops()
{
    if (!underWay())
        return false;
    if (std::exchange(m_stopping, true))
        return true;
    m_messages.showMessage(MessageBar::Kind::Info, [] {
        return tr("Stopping the run and saving what it found; the window closes in a moment.");
    });
    m_messages.outlastPage();
    m_jobs.stopAll();
    m_queue.stopAll();
    return true;
}

// Where that was the last: nothing is left to ask about or to wait for.
void Closing::onEnded()
{
    if (underWay())
        return;
    if (m_stopping)
        m_window.close();
    else if (asking())
        m_messages.dismiss();
}

} // namespace peakscope
