// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/job_queue.h"

#include <algorithm>
#include <array>
#include <utility>

namespace peakscope {

namespace {

constexpr std::size_t kProgramsAtOnce = 2; // as `fit` does

bool isTimed(JobKind kind)
{
    return kind != JobKind::Program;
}

} // namespace

JobQueue::JobQueue(QObject* parent) : QObject(parent)
{
    m_thread.setObjectName(QStringLiteral("jobs"));
    m_thread.start();
}

JobQueue::~JobQueue()
{
    for (const Entry& entry : m_entries)
        QMetaObject::invokeMethod(entry.process, &JobProcess::stop, Qt::QueuedConnection);
    for (const Entry& entry : m_entries)
        entry.process->deleteLater(); // waits for it, once all were asked
    auto* last = new QObject;         // after all of these
    last->moveToThread(&m_thread);
    QMetaObject::invokeMethod(
        last,
        [this, last] {
            last->deleteLater();
            m_thread.quit();
        },
        Qt::QueuedConnection);
    m_thread.wait();
}

int JobQueue::add(JobKind kind, Job job, std::unique_ptr<JobListener> listener)
{
    const int id = ++m_last;
    auto* process = new JobProcess(job);
    if (JobListener* hearing = listener.release()) {
        hearing->setParent(process);
        connect(process, &JobProcess::heard, hearing, &JobListener::hear);
        connect(process, &JobProcess::finished, hearing, &JobListener::end);
    } else {
        connect(process, &JobProcess::heard, this, [this, id](const Event& event) { hear(id, event); });
    }
    connect(process, &JobProcess::finished, this, [this, id](const JobEnd& ended) { end(id, ended); });
    process->moveToThread(&m_thread);
    m_entries.push_back({id, kind, std::move(job), process});
    QMetaObject::invokeMethod(this, &JobQueue::startNext, Qt::QueuedConnection);
    emit changed();
    return id;
}

JobQueue::Entry* JobQueue::find(int id)
{
    const auto found = std::ranges::find(m_entries, id, &Entry::id);
    return found == m_entries.end() ? nullptr : &*found;
}

const JobQueue::Entry* JobQueue::find(int id) const
{
    return const_cast<JobQueue*>(this)->find(id);
}

void JobQueue::stop(int id)
{
    const Entry* entry = find(id);
    if (!entry)
        return;
    if (entry->started)
        QMetaObject::invokeMethod(entry->process, &JobProcess::stop, Qt::QueuedConnection);
    else
        end(id, {.exitStatus = exitStatus(ErrorCode::Interrupted)});
}

void JobQueue::stopAll()
{
    std::vector<int> ids;
    for (const Entry& entry : m_entries)
        ids.push_back(entry.id);
    for (const int id : ids)
        stop(id);
}

bool JobQueue::waits(int id) const
{
    const Entry* entry = find(id);
    return entry && !entry->started;
}

std::optional<ProgressEvent> JobQueue::progress(int id) const
{
    const Entry* entry = find(id);
    return entry ? entry->progress : std::nullopt;
}

std::map<int, Job> JobQueue::jobs(JobKind kind) const
{
    std::map<int, Job> found;
    for (const Entry& entry : m_entries) {
        if (entry.kind == kind)
            found.emplace(entry.id, entry.job);
    }
    return found;
}

int JobQueue::waiting() const
{
    return static_cast<int>(std::ranges::count(m_entries, false, &Entry::started));
}

std::optional<int> JobQueue::running(JobKind kind) const
{
    const auto found =
        std::ranges::find_if(m_entries, [kind](const Entry& entry) { return entry.started && entry.kind == kind; });
    return found == m_entries.end() ? std::nullopt : std::optional(found->id);
}

void JobQueue::hold()
{
    if (++m_holds == 1)
        emit changed();
}

void JobQueue::release()
{
    if (--m_holds > 0)
        return;
    QMetaObject::invokeMethod(this, &JobQueue::startNext, Qt::QueuedConnection);
    emit changed();
}

bool JobQueue::isOccupied(JobKind kind) const
{
    const bool timed = isTimed(kind);
    const auto alike = std::ranges::count(m_entries, timed, [](const Entry& entry) { return isTimed(entry.kind); });
    return (timed && m_holds > 0) || alike >= (timed ? 1 : std::ptrdiff_t(kProgramsAtOnce));
}

void JobQueue::startNext()
{
    std::array<std::size_t, 2> running{}; // by whether their times count
    for (const Entry& entry : m_entries)
        running[isTimed(entry.kind)] += entry.started;
    std::vector<int> next;
    for (Entry& entry : m_entries) {
        const bool timed = isTimed(entry.kind);
        if (entry.started || running[timed] >= (timed ? 1 : kProgramsAtOnce) || (timed && m_holds > 0))
            continue;
        ++running[timed];
        entry.started = true;
        next.push_back(entry.id);
        JobProcess* process = entry.process;
        QMetaObject::invokeMethod(
            process,
            [process] {
                if (auto* listener = process->findChild<JobListener*>())
                    listener->begin();
                process->start();
            },
            Qt::QueuedConnection);
    }
    for (const int id : next)
        emit started(id);
    if (!next.empty())
        emit changed();
}

void JobQueue::hear(int id, const Event& event)
{
    Entry* entry = find(id);
    if (!entry)
        return;
    if (const auto* progress = std::get_if<ProgressEvent>(&event))
        entry->progress = *progress;
    emit heard(id, event);
}

void JobQueue::end(int id, const JobEnd& end)
{
    const auto found = std::ranges::find(m_entries, id, &Entry::id);
    if (found == m_entries.end())
        return;
    found->process->deleteLater();
    m_entries.erase(found);
    emit finished(id, end);
    startNext();
    emit changed();
}

} // namespace peakscope
