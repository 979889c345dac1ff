// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/run_queue.h"

#include "app/jobs/run_queue_worker.h"
#include "app/jobs/sweep_files.h"

#include <algorithm>

namespace peakscope {

bool isFinished(RunState state)
{
    return state != RunState::Queued && state != RunState::Running && state != RunState::Stopping;
}

RunState runState(RunStatus status)
{
    switch (status) {
    case RunStatus::Complete:
        return RunState::Complete;
    case RunStatus::Interrupted:
        return RunState::Interrupted;
    case RunStatus::OverBudget:
        return RunState::OverBudget;
    case RunStatus::Failed:
        return RunState::Failed;
    }
    return RunState::Failed;
}

RunState runState(const RunResult& result, const QString& path)
{
    return result.kind == ResultKind::Sweep && sweepWriter(path) ? RunState::Running : runState(result.status);
}

RunQueue::RunQueue(const QString& folder, QObject* parent) : QObject(parent)
{
    qRegisterMetaType<std::shared_ptr<const LiveBatch>>();
    qRegisterMetaType<RunOutcome>();
    m_worker = new RunQueueWorker(folder);
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &RunQueueWorker::runStarted, this, &RunQueue::onRunStarted);
    connect(m_worker, &RunQueueWorker::batchReady, this, &RunQueue::onBatch);
    connect(m_worker, &RunQueueWorker::runEnded, this, &RunQueue::onOutcome);
    m_thread.setObjectName(QStringLiteral("run queue"));
    m_thread.start();
}

RunQueue::~RunQueue()
{
    RunQueueWorker* worker = m_worker;
    // Lets the worker process answer its cancel message, or be killed, and its result be saved; then the thread ends.
    QMetaObject::invokeMethod(
        worker, [worker] { worker->shutDown(); }, Qt::QueuedConnection);
    m_thread.wait();
}

int RunQueue::enqueue(const Agreed<nlohmann::json>& experiment, const QString& title, bool resume)
{
    RunInfo info;
    info.id = m_nextId++;
    info.title = title;
    info.experiment = *experiment;
    info.origin = experiment.origin();
    m_runs[info.id] = info;
    RunQueueWorker* worker = m_worker;
    QMetaObject::invokeMethod(
        worker, [worker, id = info.id, experiment, resume] { worker->enqueue(id, experiment, resume); },
        Qt::QueuedConnection);
    emit runAdded(info.id);
    return info.id;
}

void RunQueue::cancel(int id)
{
    const auto found = m_runs.find(id);
    if (found == m_runs.end() || isFinished(found->second.state))
        return;
    if (found->second.state == RunState::Running) {
        found->second.state = RunState::Stopping;
        emit runChanged(id);
    }
    RunQueueWorker* worker = m_worker;
    QMetaObject::invokeMethod(
        worker, [worker, id] { worker->cancel(id); }, Qt::QueuedConnection);
}

void RunQueue::forget(int id)
{
    const auto found = m_runs.find(id);
    if (found != m_runs.end() && isFinished(found->second.state))
        m_runs.erase(found);
}

void RunQueue::stopAll()
{
    m_stopping = true;
    if (!busy()) {
        QMetaObject::invokeMethod(this, &RunQueue::stopped, Qt::QueuedConnection);
        return;
    }
    for (const int id : ids())
        cancel(id);
}

void RunQueue::setFolder(const QString& folder)
{
    RunQueueWorker* worker = m_worker;
    QMetaObject::invokeMethod(
        worker, [worker, folder] { worker->setFolder(folder); }, Qt::QueuedConnection);
}

bool RunQueue::busy() const
{
    return std::any_of(m_runs.begin(), m_runs.end(), [](const auto& run) { return !isFinished(run.second.state); });
}

const RunInfo* RunQueue::info(int id) const
{
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : &found->second;
}

std::vector<int> RunQueue::ids() const
{
    std::vector<int> result;
    for (const auto& [id, run] : m_runs)
        result.push_back(id);
    return result;
}

void RunQueue::onRunStarted(int id)
{
    const auto found = m_runs.find(id);
    if (found == m_runs.end())
        return;
    if (found->second.state == RunState::Queued)
        found->second.state = RunState::Running;
    m_live = LiveRun{};
    m_live->id = id;
    emit runChanged(id);
}

void RunQueue::onBatch(const std::shared_ptr<const LiveBatch>& batch)
{
    const auto found = m_runs.find(batch->id);
    if (m_live && m_live->id == batch->id && found != m_runs.end()) {
        m_live->phases.insert(m_live->phases.end(), batch->phases.begin(), batch->phases.end());
        m_live->snapshots.insert(m_live->snapshots.end(), batch->snapshots.begin(), batch->snapshots.end());
        if (batch->prediction)
            m_live->prediction = batch->prediction;
        if (batch->analysis)
            m_live->analysis = batch->analysis;
        m_live->allocatedBytes = batch->allocatedBytes;
        m_live->reservedBytes = batch->reservedBytes;
        m_live->residentBytes = batch->residentBytes;
        if (batch->progress) {
            found->second.fraction = batch->progress->fraction;
            found->second.remainingSeconds = batch->progress->remainingSeconds;
            found->second.progressMessage = QString::fromStdString(batch->progress->message);
        }
        emit batchArrived(*batch);
        if (batch->progress)
            emit runChanged(batch->id);
    }
    m_worker->batchHandled();
}

void RunQueue::onOutcome(const RunOutcome& outcome)
{
    const auto found = m_runs.find(outcome.id);
    if (found != m_runs.end()) {
        found->second.state = outcome.state;
        found->second.outcome = outcome;
        if (outcome.state == RunState::Complete)
            found->second.fraction = 1;
        found->second.remainingSeconds.reset();
    }
    // Told before the live picture goes: a view may still be drawing it.
    emit runChanged(outcome.id);
    emit runFinished(outcome.id);
    if (m_live && m_live->id == outcome.id)
        m_live.reset();
    if (m_stopping && !busy())
        emit stopped();
}

} // namespace peakscope
