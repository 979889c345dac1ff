// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of the user's run dry beside the window: on each card by `peakscope-cli record`, two at a time, or for the
// largest value that fits by `fit`. What an earlier window left and is run again has its rows here, too. GUI thread;
// results are read in another.
#pragma once

#include "app/jobs/program_course.h"
#include "core/model/catalogue.h"
#include "core/protocol/event.h"
#include "core/results/plans/plan_document.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace peakscope {

class BackgroundThread;
class JobQueue;
struct JobEnd;

struct ProgramSetUp {
    QStringList command = {}; // the program and its arguments
    QString folder = {};      // where it runs
    std::vector<CatalogueDevice> cards = {};
    int steps = 5; // of an optimiser; then it is ended
    bool allowSaves = false;
    bool ring = false;                      // on this machine: see ProgramHere
    std::vector<std::int64_t> worlds = {1}; // numbers of GPUs; several: the program is run at each
    std::vector<std::int64_t> ranks = {0};  // that are run where there are several GPUs
    std::int64_t perNode = 8;               // GPUs of a machine
    QString vary = {}; // "batch=1..64": the largest that fits is searched; empty: the program as it stands

    // How often the program is run, where nothing is searched.
    qsizetype runs() const;
};

// What a program said of its memory while it ran, event by event.
struct ProgramPast {
    std::vector<PhaseMark> phases;
    std::vector<MemoryEvent> memory;
};

// A card, a number of them, and what became of the program there.
struct ProgramRow {
    enum class State { Waiting, Running, Done, OutOfMemory, NothingFits, Failed, Stopped };
    CatalogueDevice card = {};
    std::int64_t world = 1; // GPUs
    State state = State::Waiting;
    QString said = {};                                  // the last line of what failed, or of a search that goes on
    QString file = {};                                  // its result; empty: none
    std::int64_t allocatedBytes = 0, reservedBytes = 0; // peaks of the fullest rank; 0: not known
    std::int64_t communicatorBytes = 0;                 // what NCCL may take beside them, a margin
    std::int64_t ranksRun = 1;
    std::optional<std::int64_t> fullest = {}; // of several ranks, where they are not alike
    QString largest = {}, command = {};       // of a search: "batch 24", and the program with it
    QString further = {};     // where that is only the end of the range: what to search next, "batch=64..512"
    QStringList remarks = {}; // on that: what it takes with other rows
    std::optional<DryProgress> soFar = {}; // until its result is read; then what is above is whole
    ProgramCourse course = {};             // of what it held while it ran
    std::shared_ptr<ProgramPast> past = {}; // the same in full; null: it said nothing of that

    bool known() const { return reservedBytes > 0; }
    // The context and libraries stand beside what is reserved.
    std::int64_t takenBytes() const { return reservedBytes + card.contextBytes; }
    Verdict verdict() const;
};

class ProgramRuns : public QObject
{
    Q_OBJECT

public:
    explicit ProgramRuns(JobQueue& jobs, QObject* parent = nullptr);
    ~ProgramRuns() override;

    // Into `results`, a folder that is made where it is missing. Not while running().
    void start(const ProgramSetUp& setUp, const QString& results);
    void stop();
    // Forgets the rows; the files stay. Not while running().
    void clear();
    bool running() const { return !m_started.empty() || m_reading > 0; }
    const std::vector<ProgramRow>& rows() const { return m_rows; }
    // Of rows that have one, each once.
    QStringList files() const;

signals:
    void changed();  // rows()
    void told(int row, const peakscope::Event& event); // of memory, once it is in the row's past
    void finished(); // nothing runs any more
    void tookOver(); // what was started elsewhere, where nothing ran

private:
    using Rows = std::vector<std::size_t>; // of one process

    // A job of these rows that waits or runs.
    struct Started {
        Rows rows;
        QString file;
        QElapsedTimer since = {}; // its first word
    };

    void hear(Started& job, const ProgressEvent& progress);
    void keep(std::size_t row, const Event& event);
    void takeOver(int job);
    void onEnded(const Started& started, const JobEnd& end);
    void read(const Rows& rows, const QString& file);
    QString fileFor(const Rows& rows) const;
    QStringList wordsFor(const Rows& rows, const QString& file) const;
    void conclude();

    ProgramSetUp m_setUp;
    QString m_results, m_stamp;
    std::vector<ProgramRow> m_rows;
    JobQueue& m_jobs;
    std::map<int, Started> m_started;
    std::unique_ptr<BackgroundThread> m_reader;
    int m_reading = 0;
    bool m_stopping = false;
};

} // namespace peakscope
