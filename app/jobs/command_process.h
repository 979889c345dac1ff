// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command of peakscope-cli that runs beside the window and writes into a folder. GUI thread.
#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace peakscope {

class CommandProcess : public QObject
{
    Q_OBJECT

public:
    explicit CommandProcess(QObject* parent = nullptr);
    // Stops what runs and waits for it, a few seconds at most.
    ~CommandProcess() override;

    // What is under way is given up; what was measured stays and can be gone on from. finished() follows.
    void stop();
    bool running() const { return m_process.state() != QProcess::NotRunning; }

signals:
    void said(); // on standard error
    // `exitStatus` as the command line's; `message`: its last line where it is not 0.
    void finished(int exitStatus, const QString& message);

protected:
    // `input` is what it reads; its answer is thrown away.
    void begin(const QStringList& words, const std::string& input);
    // Before begin(): where it runs, in a process group of its own, of which nothing is left when it was stopped.
    void setProgramFolder(const QString& folder);
    // What it said on standard error, its last lines.
    QStringList lastLines() const;
    // What follows `mark` to the end of its line, each that is there whole; taken out of what it said.
    QByteArrayList takeMarked(const QByteArray& mark);
    virtual QString lastWords() const { return lastLines().value(lastLines().size() - 1); }
    virtual void conclude(int exitStatus, const QString& message);

private:
    void hear();
    void kill();

    QProcess m_process;
    qint64 m_group = 0; // its process group where it has its own and was started
    bool m_ownGroup = false;
    QByteArray m_errors;
    QTimer m_patience;
    bool m_stopping = false;
};

} // namespace peakscope
