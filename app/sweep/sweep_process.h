// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `peakscope-cli sweep` beside the window: it writes sweep.json point by point, which the sweep's panel follows.
// One sweep at a time. GUI thread.
#pragma once

#include "app/run/command_consent.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace peakscope {

class SweepProcess : public QObject
{
    Q_OBJECT

public:
    explicit SweepProcess(QObject* parent = nullptr);
    // Stops what runs and waits for it, a few seconds at most.
    ~SweepProcess() override;

    // What an earlier run of the same sweep measured in its folder is taken over.
    void start(const Agreed<SweepStart>& sweep);
    // The point under way is given up; what was measured stays and can be gone on from. finished() follows.
    void stop();
    bool running() const { return m_process.state() != QProcess::NotRunning; }
    QString file() const;                               // sweep.json
    const SweepHands& hands() const { return m_hands; } // of the last start
    const Origin& origin() const { return m_origin; }   // likewise

signals:
    // sweep.json is there, no point of it finished by this run yet.
    void fileReady(const QString& file);
    // `exitStatus` as the command line's; `message`: its last line where it is not 0.
    void finished(int exitStatus, const QString& message);

private:
    void look();
    QString lastWords() const;
    void conclude(int exitStatus, const QString& message);

    QProcess m_process;
    QString m_folder;
    SweepHands m_hands;
    Origin m_origin;
    QByteArray m_errors;
    QTimer m_look; // for the file
    QTimer m_patience;
    bool m_stopping = false;
};

} // namespace peakscope
