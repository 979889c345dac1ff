// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command of peakscope-cli that runs beside the window and tells of itself by events. GUI thread.
#pragma once

#include "app/jobs/event_signal.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <optional>
#include <string>

namespace peakscope {

// What peakscope-cli is to do.
struct Job {
    QStringList words;      // without --events
    std::string input = {}; // what it reads on standard input
    // Where it runs. With a folder it has a process group of its own, of which nothing is left when it was stopped, and
    // ends with the window.
    QString folder = {};
};

class JobProcess : public QObject
{
    Q_OBJECT

public:
    explicit JobProcess(QObject* parent = nullptr);
    // Stops what runs and waits for it, a few seconds at most.
    ~JobProcess() override;

    // One at a time. finished() follows in any case, where it can't be started within this call.
    void start(const Job& job);
    // What is under way is given up; what was measured stays and can be gone on from. finished() follows.
    void stop();
    bool running() const { return m_process.state() != QProcess::NotRunning; }

    // How far the last start is, as it said last; nothing before it said so.
    const std::optional<ProgressEvent>& progress() const { return m_progress; }
    // Its last word; nothing where it ended without one.
    const std::optional<EndEvent>& end() const { return m_end; }
    // What it and the programs that it ran said on standard error, the last of it.
    QStringList lastLines() const;

signals:
    void heard(const peakscope::Event& event);
    // `exitStatus` as the command line's. `message`: one sentence where that is not 0: the end event's, else the last
    // line on standard error.
    void finished(int exitStatus, const QString& message);

private:
    void hearEvents();
    void hearErrors();
    void onFinished(int code, QProcess::ExitStatus status);
    void kill();
    void conclude(int exitStatus, const QString& message);

    QProcess m_process;
    QTimer m_patience;
    qint64 m_group = 0; // its process group where it has its own
    bool m_ownGroup = false;
    bool m_stopping = false;
    EventReader m_reader;
    QByteArray m_line;   // that has not ended yet
    QByteArray m_errors; // the last few kilobytes
    std::optional<ProgressEvent> m_progress;
    std::optional<EndEvent> m_end;
};

} // namespace peakscope
