// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command of peakscope-cli that runs beside the window and tells of itself by events. It lives in the thread that
// reads the events, which must run an event loop.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/event_signal.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <string>

namespace peakscope {

// What peakscope-cli is to do. What comes from a document, and so may name commands, is taken only as it was agreed to.
class Job
{
public:
    enum class Life : std::uint8_t {
        Own,    // it may outlive the window, and is then found by the lock of its output
        Window, // it ends with the window
        Group,  // likewise, with all that it has started: it has a process group of its own
    };

    // `words` without --events; `input`: what it reads on standard input.
    Job(const QStringList& words, const Agreed<nlohmann::json>& input);
    Job(const QStringList& words, const Agreed<SweepStart>& input);
    // A program that the user wrote here, in its folder.
    Job(const QStringList& words, const QString& folder) : m_words(words), m_folder(folder), m_life(Life::Group) {}
    // A question, which has its answer on standard output, to this machine or to the one behind a launcher.
    static Job question(const QStringList& words);
    static Job question(const QStringList& words, const Agreed<nlohmann::json>& input);
    static Job question(const QStringList& words, const Agreed<QStringList>& launcher);

    const QStringList& words() const { return m_words; } // without the program
    const QString& program() const { return m_program; }
    QString output() const; // where its result goes; empty: it was not said
    const std::string& input() const { return m_input; }
    const QString& folder() const { return m_folder; }
    Life life() const { return m_life; }
    bool hasEvents() const { return m_hasEvents; }

private:
    Job() = default;

    QString m_program; // empty: commandLineProgram()
    QStringList m_words;
    std::string m_input;
    QString m_folder;
    Life m_life = Life::Own;
    bool m_hasEvents = true;
};

struct JobEnd {
    int exitStatus = 0;               // as the command line's; 4 and no words where it never began
    QString message = {};             // one sentence where that is not 0: the end event's, else its last line
    QStringList lastLines = {};       // on standard error, of it and of the programs that it ran
    std::optional<EndEvent> end = {}; // its last word; nothing where it ended without one
    QByteArray answer = {};           // to a question, as far as it came
    std::optional<int> signal = {};   // that ended it
    bool couldStart = true;
};

class JobProcess : public QObject
{
    Q_OBJECT

public:
    static constexpr qsizetype kMostAnswerBytes = 1 << 20; // who talks more has no answer, and is ended

    explicit JobProcess(Job job, QObject* parent = nullptr);
    // Stops what runs and waits for it, some seconds at most.
    ~JobProcess() override;

    // Once. finished() follows in any case, where it can't be started within this call.
    void start();
    // What is under way is given up; what was measured stays and can be gone on from. finished() follows.
    void stop();
    bool running() const { return m_process.state() != QProcess::NotRunning; }
    // The path of the program that was started.
    QString program() const { return m_process.program(); }

signals:
    void heard(const peakscope::Event& event);
    void finished(const peakscope::JobEnd& end);

private:
    void hearOutput();
    void hearErrors();
    void onFinished(int code, QProcess::ExitStatus status);
    void kill();
    void conclude(int exitStatus, const QString& message);
    QStringList lastLines() const;

    Job m_job;
    QProcess m_process;
    QTimer m_patience;
    qint64 m_group = 0; // its process group where it has its own
    bool m_stopping = false;
    EventReader m_reader;
    QByteArray m_output;     // a line that has not ended yet; of a question all of it
    qsizetype m_scanned = 0; // bytes of that line known to hold no line feed
    QByteArray m_errors; // the last few kilobytes
    JobEnd m_end;
};

} // namespace peakscope
