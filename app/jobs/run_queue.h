// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of this window: what waits, what runs, what came of it. Each is a `peakscope-cli run`, or of a program of
// the user's own a `peakscope-cli record`, that writes its result itself; its events are read in the jobs' thread
// (run_reader.h) and its result in another. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/job_queue.h"
#include "app/parts/background_thread.h"
#include "core/protocol/event.h"
#include "core/results/analysis_sections.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"
#include "widgets/curvature/curvature_live.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

enum class RunState { Queued, Running, Stopping, Complete, OverBudget, Failed, Interrupted };
bool isFinished(RunState state);
RunState runState(RunStatus status);
// Of a result in a file: it goes on as long as a process writes it, whichever that is.
RunState runState(const RunResult& result, const QString& path);

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
    nlohmann::json config = {};           // once it began; of one that is fitted it has the sizes
    std::optional<Prediction> prediction; // made before the run began
    bool predictionIsBound = false;
    CurvatureNews curvature;
    std::shared_ptr<const AnalysisData> analysis; // of a perturbation experiment, as it stands; null: as before
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0;
    std::int64_t residentBytes = 0;
    bool late = false;     // the GUI was busy for over a second while this one waited
    bool restarts = false; // what came before was of a larger attempt, which passed its budget

    bool empty() const
    {
        return timeSeconds.empty() && phases.empty() && snapshots.empty() && ranks.empty() && !progress &&
               config.is_null() && !prediction && curvature.empty() && !analysis && !restarts;
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
    QString path;                                                     // where it was saved; empty where it was not
    QString saveError;                                                // why it was not
    QString keptIn;                                                   // where it is instead
    bool badInput = false;                                            // the experiment itself was unusable
};

// A program that the user wrote, as it is recorded on this machine.
struct ProgramHere {
    QStringList command = {}; // the program and its arguments
    QString folder = {};      // where it runs
    int steps = 0;            // of training, after which it is ended; 0: it runs to its end
    bool ring = false;        // a peak of every step, and the last steps alone in full

    // As the command line would start it, the result into `out`.
    Job recording(const QString& out) const;
};

struct RunInfo {
    int id = 0;
    QString title;
    nlohmann::json experiment; // of a program what its result says of it in "config"
    nlohmann::json sized = {}; // with the sizes that it takes, where they are fitted; null: as it was asked for
    std::optional<ProgramHere> program = {};
    Origin origin; // of the experiment
    QString path;  // where its result goes; empty where that can't be among the results
    RunState state = RunState::Queued;
    bool begun = false;  // its turn came
    double fraction = 0; // below 0: nobody knows how long it is
    std::optional<double> remainingSeconds;
    QString progressMessage;
    RunOutcome outcome; // once finished

    const nlohmann::json& shown() const { return sized.is_null() ? experiment : sized; }
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
    RunQueue(JobQueue& jobs, const QString& folder, QObject* parent = nullptr);

    // Adds an experiment at the end; its "launcher" key is put before the worker's command. Returns the run's number.
    // With `resume` it goes on from what an interrupted run of the same experiment has noted in the folder, and its
    // result takes that one's place.
    int enqueue(const Agreed<nlohmann::json>& experiment, const QString& title, bool resume = true);
    // The same of a program.
    int record(const ProgramHere& program);
    // Stops a running experiment or takes a waiting one out. Its outcome follows as for any other.
    void cancel(int id);
    // Forgets a finished run; its file stays.
    void forget(int id);
    // Stops everything; stopped() follows once nothing runs any more.
    void stopAll();
    // Where results of later runs are saved.
    void setFolder(const QString& folder);

    bool busy() const;
    bool writes(const QString& path) const; // one of them does, or will
    const RunInfo* info(int id) const;      // null where there is no such run
    std::vector<int> ids() const;           // in the order of their enqueueing
    // The run under way; null where none is.
    const LiveRun* live() const { return m_live ? &*m_live : nullptr; }

signals:
    void runAdded(int id);
    void runChanged(int id); // state or progress
    void batchArrived(const peakscope::LiveBatch& batch);
    void runFinished(int id);
    void stopped();

private:
    // Of a run that waits or goes on.
    struct UnderWay {
        int job = 0;
        QString out;         // where its result goes
        QString folderError; // why that is not the folder of the results
    };

    int add(RunInfo info, UnderWay place, const Job& job);
    void onStarted(int job);
    void onBatch(const LiveBatch& batch);
    void onJobFinished(int job, const JobEnd& end);
    void readResult(RunOutcome outcome, const QString& file);
    void conclude(const RunOutcome& outcome);
    int runOf(int job) const; // 0: none of these
    UnderWay newPlace() const;
    QString leftOff(const nlohmann::json& experiment) const;

    JobQueue& m_jobs;
    QString m_folder;
    std::map<int, RunInfo> m_runs;
    std::map<int, UnderWay> m_underWay;
    std::optional<LiveRun> m_live;
    int m_nextId = 1;
    bool m_stopping = false;
    BackgroundThread m_reading; // results, once a run is over
};

} // namespace peakscope
