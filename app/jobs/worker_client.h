// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one experiment in a `peakscope-cli worker` process and turns what it says into events. Used by the run queue;
// lives in whichever thread owns it (the queue's background thread), which must run an event loop.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/event_signal.h"
#include "core/protocol/last_words.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <vector>

namespace peakscope {

// How a run's process came to its end; delivered exactly once per start().
struct WorkerExit {
    enum class Kind {
        Ended,     // the worker sent its end event
        Cancelled, // stopped at the user's request before it could send one
        Killed,    // by a signal
        Exited,    // with an exit status but without an end event
        CouldNotStart,
    };
    Kind kind = Kind::Ended;
    QString sentence;               // what happened and what to do next; empty where Kind::Ended
    int code = 0;                   // the exit status, or the signal where Killed
    QString log;                    // last lines of the worker's standard error and of what was no event
    int junkLines = 0;              // lines on standard output that were no events
    std::optional<RankDeath> death; // of one of several ranks, as their launcher saw it
};

class WorkerClient : public QObject
{
    Q_OBJECT

public:
    // Milliseconds between asking, terminating and killing.
    static constexpr int kPatience = 2000;

    explicit WorkerClient(QObject* parent = nullptr);
    ~WorkerClient() override;

    // The program and its arguments: $PEAKSCOPE_CLI, else peakscope-cli beside this program, else on the path.
    // Through ssh the other machine's own peakscope-cli is meant unless $PEAKSCOPE_CLI says otherwise.
    // Several `ranks` without a launcher are started by mpirun.
    static QStringList workerCommand(const QStringList& launcher, qint64 ranks = 0);

    // Starts the worker, through the launcher that the experiment names, and hands it the experiment. One run at a
    // time. `progressFile`: where a curvature run notes what it has finished; empty for none.
    void start(const Agreed<nlohmann::json>& experiment, const QString& progressFile = {});
    // Asks the worker to stop, terminates it after 2 s and kills it 2 s later. finished() still follows.
    void cancel();
    bool running() const { return m_running; }

signals:
    void eventsReceived(const std::vector<peakscope::Event>& events);
    void finished(const peakscope::WorkerExit& exit);

private:
    void readOutput();
    void readErrors();
    void takeLine(const QByteArray& line, std::vector<Event>& events);
    void addToLog(const QByteArray& line);
    void escalate();
    void onFinished(int code, QProcess::ExitStatus status);
    void onError(QProcess::ProcessError error);
    WorkerExit describeExit(int code, QProcess::ExitStatus status) const;
    void conclude(WorkerExit exit);

    QProcess* m_process = nullptr; // a new one per run; a child of this
    QTimer m_patience;
    QByteArray m_output;     // an unfinished line
    qsizetype m_scanned = 0; // bytes of it known to hold no line feed
    QByteArray m_errorLine;
    QStringList m_log;
    LastWords m_lastWords;
    QStringList m_command;
    int m_junkLines = 0;
    EventReader m_reader;
    bool m_running = false;
    bool m_cancelled = false;
    bool m_ended = false; // the end event came
    bool m_terminated = false;
};

// "signal 9", "signal 11 (segmentation fault)".
QString signalName(int signal);

} // namespace peakscope
