// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command of peakscope-cli that runs beside the window and tells of itself by events. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
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

// What peakscope-cli is to do. What comes from a document, and so may name commands, is taken only as it was agreed to.
class Job
{
public:
    // `words` without --events; `input`: what it reads on standard input.
    Job(const QStringList& words, const Agreed<nlohmann::json>& input);
    Job(const QStringList& words, const Agreed<SweepStart>& input);
    // A program that the user wrote here, in its folder. It has a process group of its own, of which nothing is left
    // when it was stopped, and ends with the window.
    Job(const QStringList& words, const QString& folder) : m_words(words), m_folder(folder) {}

    const QStringList& words() const { return m_words; }
    const std::string& input() const { return m_input; }
    const QString& folder() const { return m_folder; }

private:
    QStringList m_words;
    std::string m_input;
    QString m_folder;
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
