// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of this window: what waits, what runs, what came of it. This is the GUI's side (GUI thread only); the queue
// itself lives in a background thread (run_queue_worker.h), which decodes, batches, assembles and saves.
#pragma once

#include "app/jobs/command_consent.h"
#include "core/protocol/event.h"
#include "core/results/analysis_sections.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"
#include "widgets/curvature/curvature_live.h"

#include <QObject>
#include <QString>
#include <QThread>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

class RunQueueWorker;

enum class RunState { Queued, Running, Stopping, Complete, OverBudget, Failed, Interrupted };
bool isFinished(RunState state);
RunState runState(RunStatus status);
// Of a result in a file: a sweep goes on as long as a process writes it, whichever that is.
RunState runState(const RunResult& result, const QString& path);
// The file name, without its ending, for a run's id: that comes from another process and must stay inside the folder.
std::string resultFileName(const std::string& id);

// What one of several ranks sent.
struct RankBatch {
    int rank = 0;
    std::vector<double> timeSeconds;
    std::vector<std::int64_t> deltaBytes;
    std::vector<Component> component;
    std::vector<PhaseMark> phases;
};

// What came from a running worker since the last batch; at most 30 of these a second reach the GUI, and the next one
// waits until this one was handled.
struct LiveBatch {
    int id = 0;
    std::vector<double> timeSeconds;
    std::vector<std::int64_t> deltaBytes;
    std::vector<Component> component;
    std::vector<PhaseMark> phases;
    std::vector<Snapshot> snapshots;
    std::vector<RankBatch> ranks; // where several run: of each that sent something; all else is of the first rank
    std::optional<ProgressEvent> progress;
    std::optional<Prediction> prediction; // made before the run began
    bool predictionIsBound = false;
    CurvatureNews curvature;
    std::shared_ptr<const AnalysisData> analysis; // of a perturbation experiment, as it stands; null: as before
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0;
    std::int64_t residentBytes = 0;
    bool late = false; // the GUI was busy for over a second while this one waited

    bool empty() const
    {
        return timeSeconds.empty() && phases.empty() && snapshots.empty() && ranks.empty() && !progress &&
               !prediction && curvature.empty() && !analysis;
    }
};

// How a run ended.
struct RunOutcome {
    int id = 0;
    RunState state = RunState::Failed;
    std::shared_ptr<const RunResult> result;                          // null where the worker never began
    std::shared_ptr<const MemoryTimeline> timeline;                   // of the result; null where it has none
    std::vector<std::shared_ptr<const MemoryTimeline>> rankTimelines; // of its ranks
    QString message;                                                  // one sentence; empty when complete
    QString log;                                                      // the worker's last words
    QString path;                                                     // where it was saved; empty where it was not
    QString saveError;                                                // why it was not
    bool badInput = false;                                            // the experiment itself was unusable
};

struct RunInfo {
    int id = 0;
    QString title;
    nlohmann::json experiment;
    Origin origin; // of the experiment
    RunState state = RunState::Queued;
    double fraction = 0;
    std::optional<double> remainingSeconds;
    QString progressMessage;
    RunOutcome outcome; // once finished
};

// What the running experiment has shown so far; its timeline is kept by the view that draws it.
struct LiveRun {
    int id = 0;
    std::vector<PhaseMark> phases;
    std::vector<Snapshot> snapshots;
    std::optional<Prediction> prediction;
    std::shared_ptr<const AnalysisData> analysis; // null until there is any
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0;
    std::int64_t residentBytes = 0;
};

class RunQueue : public QObject
{
    Q_OBJECT

public:
    explicit RunQueue(const QString& folder, QObject* parent = nullptr);
    // Stops what runs and waits for it, a few seconds at most.
    ~RunQueue() override;

    // Adds an experiment at the end; its "launcher" key is put before the worker's command. Returns the run's number.
    // A curvature run notes what it has finished; with `resume` it goes on from what an interrupted run of the same
    // experiment has noted.
    int enqueue(const Agreed<nlohmann::json>& experiment, const QString& title, bool resume = true);
    // Stops a running experiment or takes a waiting one out. Its outcome follows as for any other.
    void cancel(int id);
    // Forgets a finished run; its file stays.
    void forget(int id);
    // Stops everything; stopped() follows once nothing runs any more.
    void stopAll();
    // Where results of later runs are saved.
    void setFolder(const QString& folder);

    bool busy() const;
    const RunInfo* info(int id) const; // null where there is no such run
    std::vector<int> ids() const;      // in the order of their enqueueing
    // The run under way; null where none is.
    const LiveRun* live() const { return m_live ? &*m_live : nullptr; }

signals:
    void runAdded(int id);
    void runChanged(int id); // state or progress
    void batchArrived(const peakscope::LiveBatch& batch);
    void runFinished(int id);
    void stopped();

private:
    void onRunStarted(int id);
    void onBatch(const std::shared_ptr<const LiveBatch>& batch);
    void onOutcome(const RunOutcome& outcome);

    std::map<int, RunInfo> m_runs;
    std::optional<LiveRun> m_live;
    QThread m_thread;
    RunQueueWorker* m_worker = nullptr; // lives in m_thread, deleted when that ends
    int m_nextId = 1;
    bool m_stopping = false;
};

} // namespace peakscope
