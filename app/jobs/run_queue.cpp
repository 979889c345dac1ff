// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/run_queue.h"

#include "app/jobs/job_words.h"
#include "app/jobs/result_loader.h"
#include "app/jobs/run_reader.h"
#include "app/jobs/sweep_files.h"
#include "core/analysis/response/finished_result.h"
#include "core/base/file.h"
#include "core/base/json/json_reader.h"
#include "core/base/output_lock.h"
#include "core/base/secrets/secrets.h"
#include "core/experiment/experiment.h"
#include "widgets/text/note_words.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

constexpr qint64 kKeptDays = 30;

// With all its keys, but for what it is launched with and its budget; null where that is no experiment.
nlohmann::json workOf(const nlohmann::json& document)
{
    auto experiment = experimentFromJson(document);
    if (!experiment)
        return nullptr;
    for (const char* key : {"launcher", "budget_bytes"})
        experiment->document.erase(key);
    return std::move(experiment->document);
}

// What is fitted has its sizes once it begins, and its name says them.
bool takeSizes(RunInfo& info, const nlohmann::json& config)
{
    if (!lenient::flag(info.experiment, "fit") || !config.is_object() || info.sized == config)
        return false;
    info.sized = config;
    info.title = experimentTitle(config);
    return true;
}

bool isOfWork(const RunResult& result, const nlohmann::json& work)
{
    return workOf(result.config) == work || workOf(result.other.value("fit_asked", nlohmann::json())) == work;
}

} // namespace

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
    const bool mayGoOn = result.kind == ResultKind::Sweep || result.status == RunStatus::Interrupted;
    return mayGoOn && !path.isEmpty() && writerOf(path) ? RunState::Running : runState(result.status);
}

RunQueue::RunQueue(JobQueue& jobs, const QString& folder, QObject* parent)
    : QObject(parent), m_jobs(jobs), m_folder(folder), m_reading(this, QStringLiteral("run results"))
{
    connect(&m_jobs, &JobQueue::started, this, &RunQueue::onStarted);
    connect(&m_jobs, &JobQueue::finished, this, &RunQueue::onJobFinished);
}

int RunQueue::enqueue(const Agreed<nlohmann::json>& experiment, const QString& title, bool resume)
{
    RunInfo info;
    info.title = title;
    info.experiment = *experiment;
    info.origin = experiment.origin();
    const QString before = resume ? leftOff(*experiment) : QString();
    UnderWay place = before.isEmpty() ? newPlace() : UnderWay{0, before, {}};
    QStringList words{QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--out"), place.out};
    if (!before.isEmpty())
        words << QStringLiteral("--resume");
    return add(std::move(info), std::move(place), Job(words, experiment));
}

Job ProgramHere::recording(const QString& out) const
{
    QStringList words{QStringLiteral("record"), QStringLiteral("--out"), out};
    if (steps > 0)
        words << QStringLiteral("--steps") << QString::number(steps);
    if (ring)
        words << QStringLiteral("--ring") << QStringLiteral("3");
    return Job(words + QStringList{QStringLiteral("--")} + command, folder);
}

int RunQueue::record(const ProgramHere& program)
{
    std::vector<std::string> command;
    for (const QString& word : program.command)
        command.push_back(word.toStdString());
    RunInfo info;
    info.experiment = {
        {"kind", "record"}, {"device", "cpu"}, {"program", {{"command", commandWithoutSecrets(command)}}}};
    info.title = experimentTitle(info.experiment);
    info.program = program;
    info.fraction = -1;
    UnderWay place = newPlace();
    const Job job = program.recording(place.out);
    return add(std::move(info), std::move(place), job);
}

int RunQueue::add(RunInfo info, UnderWay place, const Job& job)
{
    info.id = m_nextId++;
    info.path = place.folderError.isEmpty() ? place.out : QString();
    auto reader = std::make_unique<RunReader>(info.id);
    connect(reader.get(), &RunReader::batchReady, this,
            [this, inFlight = reader->inFlight()](const std::shared_ptr<const LiveBatch>& batch) {
                onBatch(*batch);
                *inFlight = false;
            });
    place.job = m_jobs.add(JobKind::Run, job, std::move(reader));
    m_underWay[info.id] = std::move(place);
    const int id = info.id;
    m_runs[id] = std::move(info);
    emit runAdded(id);
    return id;
}

bool RunQueue::writes(const QString& path) const
{
    return std::ranges::any_of(m_underWay, [&path](const auto& run) { return run.second.out == path; });
}

RunQueue::UnderWay RunQueue::newPlace() const
{
    UnderWay place;
    QDir folder(m_folder);
    if (!folder.mkpath(QStringLiteral("."))) {
        place.folderError = tr("%1: the folder can't be made").arg(m_folder);
        folder = QDir::temp();
    }
    do {
        place.out = folder.absoluteFilePath(QString::fromStdString(newRunId()) + QStringLiteral(".json"));
    } while (QFileInfo::exists(place.out) || writes(place.out));
    return place;
}

// The result of an interrupted run that noted what it had finished; empty where there is none. Notes that nobody has
// gone on from for a month are let go.
QString RunQueue::leftOff(const nlohmann::json& experiment) const
{
    static const QString ending = QStringLiteral(".progress");
    const nlohmann::json work = workOf(experiment);
    const QDir folder(m_folder);
    const QDateTime old = QDateTime::currentDateTime().addDays(-kKeptDays);
    QString found;
    for (const QFileInfo& note : folder.entryInfoList({QStringLiteral("*.json") + ending}, QDir::Files, QDir::Time)) {
        const QString path = note.absoluteFilePath().chopped(ending.size());
        if (writes(path) || writerOf(path))
            continue;
        if (note.lastModified() < old) {
            for (const QString& file : folder.entryList({note.fileName() + u'*'}, QDir::Files))
                QFile::remove(folder.absoluteFilePath(file)); // vectors lie in files of their own beside it
            continue;
        }
        if (!found.isEmpty())
            continue;
        if (const auto result = loadRunResult(path.toStdString()); result && isOfWork(*result, work))
            found = path;
    }
    return found;
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
    m_jobs.stop(m_underWay[id].job); // of one that waited the end is told within
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
    m_folder = folder;
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

int RunQueue::runOf(int job) const
{
    const auto found = std::ranges::find_if(m_underWay, [job](const auto& run) { return run.second.job == job; });
    return found == m_underWay.end() ? 0 : found->first;
}

void RunQueue::onStarted(int job)
{
    const auto found = m_runs.find(runOf(job));
    if (found == m_runs.end())
        return;
    if (found->second.state == RunState::Queued)
        found->second.state = RunState::Running;
    found->second.begun = true;
    m_live = LiveRun{};
    m_live->id = found->first;
    emit runChanged(found->first);
}

void RunQueue::onBatch(const LiveBatch& batch)
{
    const auto found = m_runs.find(batch.id);
    if (!m_live || m_live->id != batch.id || found == m_runs.end())
        return;
    if (batch.restarts) {
        m_live = LiveRun{};
        m_live->id = batch.id;
    }
    m_live->phases.insert(m_live->phases.end(), batch.phases.begin(), batch.phases.end());
    m_live->snapshots.insert(m_live->snapshots.end(), batch.snapshots.begin(), batch.snapshots.end());
    if (batch.prediction)
        m_live->prediction = batch.prediction;
    if (batch.analysis)
        m_live->analysis = batch.analysis;
    m_live->allocatedBytes = batch.allocatedBytes;
    m_live->reservedBytes = batch.reservedBytes;
    m_live->residentBytes = batch.residentBytes;
    if (batch.progress) {
        if (!found->second.program)
            found->second.fraction = batch.progress->fraction;
        found->second.remainingSeconds = batch.progress->remainingSeconds;
        found->second.progressMessage = QString::fromStdString(batch.progress->message);
    }
    const bool sized = takeSizes(found->second, batch.config);
    emit batchArrived(batch);
    if (batch.progress || sized)
        emit runChanged(batch.id);
}

void RunQueue::onJobFinished(int job, const JobEnd& end)
{
    const int id = runOf(job);
    if (id == 0)
        return;
    const UnderWay& place = m_underWay[id];
    const EndEvent last = end.end.value_or(EndEvent{});
    RunOutcome outcome;
    outcome.id = id;
    // A worker that ended before it said anything has failed, unless it was asked to stop.
    const bool stopped = end.exitStatus == exitStatus(ErrorCode::Interrupted) &&
                         (!last.fate || last.fate->fate.kind == WorkerFate::Kind::Cancelled);
    outcome.state = stopped ? RunState::Interrupted : RunState::Failed;
    outcome.badInput = last.badInput;
    if (m_runs[id].state == RunState::Queued) { // of one that goes on with an earlier one, that one's file stays
        outcome.message = tr("Removed from the queue before it started.");
        conclude(outcome);
        return;
    }
    // Of a program of the user's own the end says how that ended; a fate's own words are of a worker.
    const bool ofWorker = last.fate && (last.message.empty() || last.message == last.fate->sentence());
    outcome.message = ofWorker ? fateSentence(*last.fate) : last.fate ? noteText(last.message) : end.message;
    // One that was killed itself leaves what it saved last.
    const QString file = end.end ? QString::fromStdString(last.file) : place.out;
    const QString notSaved = !place.folderError.isEmpty() ? place.folderError
                             : end.end && file != place.out && !last.notes.empty()
                                 ? QString::fromStdString(last.notes.back())
                                 : QString();
    if (file.isEmpty() || !QFileInfo::exists(file)) { // nothing was measured, or it could be kept nowhere
        if (outcome.message.isEmpty())
            outcome.message = notSaved;
        conclude(outcome);
        return;
    }
    outcome.saveError = notSaved;
    (notSaved.isEmpty() ? outcome.path : outcome.keptIn) = file;
    readResult(std::move(outcome), file);
}

// The next begins once this one is told of: there is one live picture.
void RunQueue::readResult(RunOutcome outcome, const QString& file)
{
    m_jobs.hold();
    m_reading.post([this, outcome = std::move(outcome), file]() mutable {
        auto result = loadRunResult(file.toStdString());
        if (result) {
            outcome.result = finishedResult(std::move(*result));
            outcome.state = runState(outcome.result->status);
            if (outcome.result->memory)
                outcome.timeline = std::make_shared<const MemoryTimeline>(outcome.result->memory->timeline);
            outcome.rankTimelines = rankTimelinesOf(*outcome.result);
            if (outcome.state == RunState::Complete)
                outcome.message.clear();
        } else {
            outcome.message = QString::fromStdString(result.error().text());
        }
        m_reading.answer([this, outcome = std::move(outcome)] {
            conclude(outcome);
            m_jobs.release();
        });
    });
}

void RunQueue::conclude(const RunOutcome& outcome)
{
    m_underWay.erase(outcome.id);
    const auto found = m_runs.find(outcome.id);
    if (found != m_runs.end()) {
        found->second.state = outcome.state;
        found->second.outcome = outcome;
        if (outcome.result)
            takeSizes(found->second, outcome.result->config);
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
