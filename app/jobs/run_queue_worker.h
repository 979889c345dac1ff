// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The background half of the run queue: one experiment after another in a worker process, events assembled into a
// result that is saved at every finished stage, and batches for the GUI at most every 40 ms. Lives in the queue's
// thread; batchHandled() alone may be called from another one.
#pragma once

#include "app/jobs/curvature_progress.h"
#include "app/jobs/run_queue.h"
#include "app/jobs/worker_client.h"
#include "core/base/output_lock.h"
#include "core/protocol/result_assembler.h"
#include "widgets/analysis/analysis_live.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <deque>
#include <filesystem>
#include <memory>

namespace peakscope {

class RunQueueWorker : public QObject
{
    Q_OBJECT

public:
    static constexpr int kBatchInterval = 40; // ms

    explicit RunQueueWorker(const QString& folder);

    void enqueue(int id, const Agreed<nlohmann::json>& experiment, bool resume);
    void cancel(int id);
    void setFolder(const QString& folder);
    // Stops everything, then ends the thread.
    void shutDown();
    // The GUI is done with the last batch. From any thread.
    void batchHandled() { m_batchInFlight = false; }

signals:
    void runStarted(int id);
    void batchReady(const std::shared_ptr<const peakscope::LiveBatch>& batch);
    void runEnded(const peakscope::RunOutcome& outcome);

private:
    struct Waiting {
        int id = 0;
        Agreed<nlohmann::json> experiment;
        bool resume = true;
    };

    void startNext();
    void onEvents(const std::vector<Event>& events);
    void addToRank(const Event& event);
    void addToBatch(const Event& event);
    void sendBatch(bool evenIfBusy);
    void onWorkerFinished(const WorkerExit& exit);
    void saveStage();
    void finish(RunOutcome outcome);
    std::filesystem::path resultPath(const std::string& id);

    QString m_folder;
    std::deque<Waiting> m_waiting;
    WorkerClient m_client;
    QTimer m_timer;
    int m_current = 0; // 0: nothing runs
    std::unique_ptr<ResultAssembler> m_assembler;
    std::shared_ptr<LiveBatch> m_batch;
    QElapsedTimer m_sinceSent;
    QElapsedTimer m_sinceStart;
    CurvatureFollower m_follower;
    AnalysisFollower m_analysisFollower;
    CurvatureProgress m_progress; // of the current run, where it can be gone on from
    std::filesystem::path m_path; // of the current run's file, once it has one
    OutputLock m_lock;            // of that file
    QString m_endMessage;
    std::atomic<bool> m_batchInFlight = false;
    bool m_shuttingDown = false;
};

} // namespace peakscope
