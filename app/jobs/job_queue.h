// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of peakscope-cli that run beside the window, and those that wait for their turn. What measures times
// runs one at a time, programs that run dry two at a time beside it. GUI thread.
#pragma once

#include "app/jobs/job_process.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace peakscope {

enum class JobKind : std::uint8_t { Sweep, Comparison, Program };

struct JobEnd {
    int exitStatus = 0;         // as the command line's; 4 and no words where it was taken out of the queue
    QString message = {};       // one sentence where that is not 0
    QStringList lastLines = {}; // on standard error
};

class JobQueue : public QObject
{
    Q_OBJECT

public:
    explicit JobQueue(QObject* parent = nullptr);
    // Stops what runs and waits for it, a few seconds at most.
    ~JobQueue() override;

    // Adds it behind those of its kind; it starts once their turn is over, at once where none runs, but never before
    // this call is over. finished() follows in any case. Returns the job's number, above 0.
    int add(JobKind kind, Job job);
    // Stops one that runs, takes one out that waits. Nothing where it is over.
    void stop(int id);
    void stopAll();

    bool isUnderWay(int id) const { return find(id) != nullptr; } // it waits or runs
    bool waits(int id) const;
    std::optional<ProgressEvent> progress(int id) const; // of one that runs, once it said so
    // How many of a kind wait or run.
    int count(JobKind kind) const;
    bool busy() const { return !m_entries.empty(); }

signals:
    void heard(int id, const peakscope::Event& event);
    void finished(int id, const peakscope::JobEnd& end);
    void changed(); // what waits and what runs

private:
    struct Entry {
        int id = 0;
        JobKind kind = JobKind::Sweep;
        Job job;
        std::unique_ptr<JobProcess> process; // null: it waits
    };

    const Entry* find(int id) const;
    void startNext();
    void start(Entry& entry);
    void end(int id, int exitStatus, const QString& message);

    std::vector<std::unique_ptr<Entry>> m_entries; // in the order in which they came
    int m_last = 0;
};

} // namespace peakscope
