// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/run_queue_worker.h"

#include "app/jobs/result_loader.h"
#include "core/analysis/response/finished_result.h"
#include "core/base/json/json_reader.h"
#include "core/base/text.h"
#include "core/results/prediction_bound.h"

#include <QThread>

#include <algorithm>
#include <system_error>

namespace peakscope {

std::string resultFileName(const std::string& id)
{
    std::string name;
    for (const char c : id.substr(0, 100)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '_' || (c == '.' && !name.empty());
        name += plain ? c : '_';
    }
    return name.empty() ? "run" : name;
}

RunQueueWorker::RunQueueWorker(const QString& folder) : m_folder(folder), m_client(this), m_timer(this)
{
    m_timer.setInterval(kBatchInterval);
    connect(&m_timer, &QTimer::timeout, this, [this] { sendBatch(false); });
    connect(&m_client, &WorkerClient::eventsReceived, this, &RunQueueWorker::onEvents);
    connect(&m_client, &WorkerClient::finished, this, &RunQueueWorker::onWorkerFinished);
}

void RunQueueWorker::enqueue(int id, const Agreed<nlohmann::json>& experiment, bool resume)
{
    m_waiting.push_back({id, experiment, resume});
    startNext();
}

void RunQueueWorker::cancel(int id)
{
    if (id == m_current) {
        m_client.cancel();
        return;
    }
    const auto found =
        std::find_if(m_waiting.begin(), m_waiting.end(), [id](const Waiting& waiting) { return waiting.id == id; });
    if (found == m_waiting.end())
        return;
    m_waiting.erase(found);
    RunOutcome outcome;
    outcome.id = id;
    outcome.state = RunState::Interrupted;
    outcome.message = tr("Taken out of the queue before it began.");
    emit runEnded(outcome);
}

void RunQueueWorker::setFolder(const QString& folder)
{
    m_folder = folder;
}

void RunQueueWorker::shutDown()
{
    m_shuttingDown = true;
    m_waiting.clear();
    if (m_current)
        m_client.cancel();
    else
        thread()->quit();
}

void RunQueueWorker::startNext()
{
    if (m_current || m_waiting.empty())
        return;
    const Waiting next = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_current = next.id;
    m_assembler = std::make_unique<ResultAssembler>();
    m_batch = std::make_shared<LiveBatch>();
    m_path.clear();
    m_endMessage.clear();
    m_batchInFlight = false;
    m_sinceSent.start();
    m_sinceStart.start();
    m_follower = {};
    m_analysisFollower = {};
    m_progress.begin(m_folder, *next.experiment, next.resume);
    m_timer.start();
    emit runStarted(m_current);
    m_client.start(next.experiment, m_progress.file());
}

void RunQueueWorker::onEvents(const std::vector<Event>& events)
{
    bool stageFinished = false;
    for (const Event& event : events) {
        m_assembler->add(event);
        addToBatch(event);
        // The sections of many ranks come at once, and the end soon after them.
        stageFinished |= event.rank <= 0 && std::holds_alternative<StageEvent>(event);
        if (const auto* end = std::get_if<EndEvent>(&event))
            m_endMessage = QString::fromStdString(end->message);
    }
    // Before the end event: with it the result is final and finish() writes it.
    if (stageFinished && !m_assembler->ended())
        saveStage();
}

// What each of several ranks sends goes to its own place; the run as a whole is shown by the first rank.
void RunQueueWorker::addToRank(const Event& event)
{
    auto& ranks = m_batch->ranks;
    const auto batchOf = [&ranks, &event]() -> RankBatch& {
        const auto found =
            std::find_if(ranks.begin(), ranks.end(), [&event](const RankBatch& b) { return b.rank == event.rank; });
        if (found != ranks.end())
            return *found;
        ranks.emplace_back().rank = event.rank;
        return ranks.back();
    };
    if (const auto* memory = std::get_if<MemoryEvent>(&event)) {
        RankBatch& batch = batchOf();
        batch.timeSeconds.insert(batch.timeSeconds.end(), memory->timeSeconds.begin(), memory->timeSeconds.end());
        batch.deltaBytes.insert(batch.deltaBytes.end(), memory->deltaBytes.begin(), memory->deltaBytes.end());
        batch.component.insert(batch.component.end(), memory->component.begin(), memory->component.end());
    } else if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
        batchOf().phases.push_back({phase->phase, phase->step, phase->timeSeconds});
    }
}

void RunQueueWorker::addToBatch(const Event& event)
{
    if (event.rank >= 0)
        addToRank(event);
    if (event.rank > 0)
        return;
    m_batch->curvature.take(m_follower.add(event, static_cast<double>(m_sinceStart.elapsed()) / 1000));
    m_analysisFollower.add(event);
    if (const auto* memory = std::get_if<MemoryEvent>(&event)) {
        LiveBatch& batch = *m_batch;
        batch.timeSeconds.insert(batch.timeSeconds.end(), memory->timeSeconds.begin(), memory->timeSeconds.end());
        batch.deltaBytes.insert(batch.deltaBytes.end(), memory->deltaBytes.begin(), memory->deltaBytes.end());
        batch.component.insert(batch.component.end(), memory->component.begin(), memory->component.end());
        batch.allocatedBytes = memory->allocatedBytes;
        batch.reservedBytes = memory->reservedBytes;
        batch.residentBytes = memory->residentBytes;
    } else if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
        m_batch->phases.push_back({phase->phase, phase->step, phase->timeSeconds});
    } else if (const auto* snapshot = std::get_if<SnapshotEvent>(&event)) {
        m_batch->snapshots.push_back(snapshot->snapshot);
    } else if (const auto* progress = std::get_if<ProgressEvent>(&event)) {
        m_batch->progress = *progress;
    } else if (const auto* stage = std::get_if<StageEvent>(&event)) {
        const nlohmann::json* section = lenient::find(stage->data, "prediction");
        RunResult read;
        if (section && mergeSections(read, {{"prediction", *section}})) {
            m_batch->prediction = read.prediction;
            m_batch->predictionIsBound = predictionIsBound(read);
        }
    }
}

void RunQueueWorker::sendBatch(bool evenIfBusy)
{
    constexpr qint64 kLate = 1000;
    if (m_batchInFlight && !evenIfBusy)
        return;
    if (auto analysis = m_analysisFollower.news(evenIfBusy))
        m_batch->analysis = std::move(analysis);
    if (m_batch->empty())
        return;
    m_batch->id = m_current;
    m_batch->late = m_batchInFlight && m_sinceSent.elapsed() > kLate;
    m_batchInFlight = true;
    m_sinceSent.restart();
    auto next = std::make_shared<LiveBatch>();
    // Totals hold until the next memory event.
    next->allocatedBytes = m_batch->allocatedBytes;
    next->reservedBytes = m_batch->reservedBytes;
    next->residentBytes = m_batch->residentBytes;
    emit batchReady(std::exchange(m_batch, std::move(next)));
}

void RunQueueWorker::onWorkerFinished(const WorkerExit& exit)
{
    m_timer.stop();
    sendBatch(true);
    RunOutcome outcome;
    outcome.id = m_current;
    outcome.log = exit.log;
    const bool ended = exit.kind == WorkerExit::Kind::Ended;
    if (!ended)
        m_assembler->workerGone(exit.sentence.toStdString(), exit.death);
    outcome.message = ended        ? m_endMessage
                      : exit.death ? QString::fromStdString(m_assembler->result().message)
                                   : exit.sentence;
    outcome.badInput = m_assembler->badInput();

    m_progress.end();
    const auto result = finishedResult(m_assembler->result());
    outcome.state = runState(result->status);
    if (!m_assembler->started()) {
        // Nothing was measured; there is nothing to keep.
        if (!ended && exit.kind != WorkerExit::Kind::Cancelled)
            outcome.state = RunState::Failed;
        finish(std::move(outcome));
        return;
    }
    if (result->memory) {
        outcome.timeline = std::make_shared<const MemoryTimeline>(result->memory->timeline);
    }
    outcome.rankTimelines = rankTimelinesOf(*result);
    const std::filesystem::path path = resultPath(result->id);
    const Status saved = path.empty() ? Status(failed(m_folder.toStdString(), "the folder can't be made"))
                                      : saveRunResult(*result, path);
    if (saved)
        outcome.path = QString::fromStdString(path.string());
    else
        outcome.saveError = QString::fromStdString(saved.error().text());
    outcome.result = result;
    finish(std::move(outcome));
}

void RunQueueWorker::saveStage()
{
    if (!m_assembler->started())
        return;
    const RunResult result = m_assembler->result();
    const std::filesystem::path path = resultPath(result.id);
    // A failure now may be mended by the end of the run; what fails then is told.
    if (!path.empty() && !saveRunResult(result, path))
        qWarning("The stage could not be saved to %s", oneLine(path.string()).c_str());
}

void RunQueueWorker::finish(RunOutcome outcome)
{
    m_current = 0;
    m_assembler.reset();
    m_lock.release();
    emit runEnded(outcome);
    if (m_shuttingDown)
        thread()->quit();
    else
        startNext();
}

std::filesystem::path RunQueueWorker::resultPath(const std::string& id)
{
    if (!m_path.empty())
        return m_path;
    const std::filesystem::path folder(m_folder.toStdString());
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder, error))
        return {};
    const std::string name = resultFileName(id);
    for (int copy = 1; m_path.empty(); ++copy) {
        const std::filesystem::path path = folder / (name + (copy > 1 ? "-" + std::to_string(copy) : "") + ".json");
        if (std::filesystem::exists(path, error))
            continue;
        if (auto lock = OutputLock::take(path)) {
            m_path = path;
            m_lock = std::move(*lock);
        }
    }
    return m_path;
}

} // namespace peakscope
