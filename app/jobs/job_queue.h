// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of peakscope-cli that run beside the window, and those that wait for their turn. What measures times
// runs one at a time, programs that run dry two at a time beside it. GUI thread; the processes are heard in a thread of
// their own, so that a busy window holds up none of them.
#pragma once

#include "app/jobs/job_process.h"

#include <QObject>
#include <QString>
#include <QThread>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace peakscope {

enum class JobKind : std::uint8_t { Run, Sweep, Comparison, Program };

// Hears all of a job that says more than the GUI could take one by one. Made in the GUI's thread; it then lives in the
// one where the job is heard, and no longer than the job.
class JobListener : public QObject
{
    Q_OBJECT

public:
    virtual void begin() = 0;
    virtual void hear(const Event& event) = 0;
    virtual void end() = 0; // before the queue's finished()
};

class JobQueue : public QObject
{
    Q_OBJECT

public:
    explicit JobQueue(QObject* parent = nullptr);
    // Stops what runs and waits for it, some seconds at most.
    ~JobQueue() override;

    // Adds it behind those of its kind; it starts once their turn is over, at once where none runs, but never before
    // this call is over. finished() follows in any case. Returns the job's number, above 0. What has a `listener` is
    // heard by that alone.
    int add(JobKind kind, Job job, std::unique_ptr<JobListener> listener = nullptr);
    // Stops one that runs, takes one out that waits. Nothing where it is over.
    void stop(int id);
    void stopAll();

    bool isUnderWay(int id) const { return find(id) != nullptr; } // it waits or runs
    bool waits(int id) const;
    std::optional<ProgressEvent> progress(int id) const; // of one that runs, once it said so
    // Those of a kind that wait or run, by their numbers.
    std::map<int, Job> jobs(JobKind kind) const;
    int waiting() const;                            // of all kinds
    std::optional<int> running(JobKind kind) const; // the first of a kind
    // What measures times does not start until as many release() as hold(): something else is at work.
    void hold();
    void release();
    // Whether one that is added now would wait.
    bool isOccupied(JobKind kind) const;
    bool busy() const { return !m_entries.empty(); }

signals:
    void started(int id);
    void heard(int id, const peakscope::Event& event);
    void finished(int id, const peakscope::JobEnd& end);
    void changed(); // what waits and what runs, and whether one more would wait

private:
    struct Entry {
        int id = 0;
        JobKind kind = JobKind::Sweep;
        Job job;
        JobProcess* process = nullptr; // in m_thread, which deletes it
        bool started = false;
        std::optional<ProgressEvent> progress = {};
    };

    Entry* find(int id);
    const Entry* find(int id) const;
    void startNext();
    void hear(int id, const Event& event);
    void end(int id, const JobEnd& end);

    std::vector<Entry> m_entries; // in the order in which they came
    QThread m_thread;
    int m_last = 0;
    int m_holds = 0;
};

} // namespace peakscope
