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

JobQueue::JobQueue(QObject* parent) : QObject(parent) {}

JobQueue::~JobQueue()
{
    for (const auto& entry : m_entries) {
        if (entry->process) {
            entry->process->disconnect(this);
            entry->process->stop(); // all are asked before the first is waited for
        }
    }
}

int JobQueue::add(JobKind kind, Job job)
{
    const int id = ++m_last;
    m_entries.push_back(std::make_unique<Entry>(id, kind, std::move(job)));
    // Queued: one that can't be started says so while it is being started.
    QMetaObject::invokeMethod(this, &JobQueue::startNext, Qt::QueuedConnection);
    emit changed();
    return id;
}

const JobQueue::Entry* JobQueue::find(int id) const
{
    const auto found = std::ranges::find(m_entries, id, [](const auto& entry) { return entry->id; });
    return found == m_entries.end() ? nullptr : found->get();
}

void JobQueue::stop(int id)
{
    const Entry* entry = find(id);
    if (!entry)
        return;
    if (entry->process)
        entry->process->stop();
    else
        end(id, exitStatus(ErrorCode::Interrupted), {});
}

void JobQueue::stopAll()
{
    std::vector<int> ids;
    for (const auto& entry : m_entries)
        ids.push_back(entry->id);
    for (const int id : ids)
        stop(id);
}

bool JobQueue::waits(int id) const
{
    const Entry* entry = find(id);
    return entry && !entry->process;
}

std::optional<ProgressEvent> JobQueue::progress(int id) const
{
    const Entry* entry = find(id);
    return entry && entry->process ? entry->process->progress() : std::nullopt;
}

int JobQueue::count(JobKind kind) const
{
    return static_cast<int>(std::ranges::count(m_entries, kind, [](const auto& entry) { return entry->kind; }));
}

void JobQueue::startNext()
{
    std::array<std::size_t, 2> running{}; // by whether their times count
    for (const auto& entry : m_entries)
        running[isTimed(entry->kind)] += entry->process != nullptr;
    std::vector<Entry*> next;
    for (const auto& entry : m_entries) {
        const bool timed = isTimed(entry->kind);
        if (!entry->process && running[timed] < (timed ? 1 : kProgramsAtOnce)) {
            ++running[timed];
            next.push_back(entry.get());
        }
    }
    for (Entry* entry : next)
        start(*entry);
    if (!next.empty())
        emit changed();
}

void JobQueue::start(Entry& entry)
{
    entry.process = std::make_unique<JobProcess>();
    const int id = entry.id;
    connect(entry.process.get(), &JobProcess::heard, this, [this, id](const Event& event) { emit heard(id, event); });
    connect(
        entry.process.get(), &JobProcess::finished, this,
        [this, id](int exitStatus, const QString& message) { end(id, exitStatus, message); }, Qt::QueuedConnection);
    entry.process->start(entry.job);
}

void JobQueue::end(int id, int exitStatus, const QString& message)
{
    const auto found = std::ranges::find(m_entries, id, [](const auto& entry) { return entry->id; });
    const auto entry = std::move(*found);
    m_entries.erase(found);
    emit finished(id, {exitStatus, message, entry->process ? entry->process->lastLines() : QStringList()});
    startNext();
    emit changed();
}

} // namespace peakscope
