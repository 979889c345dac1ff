// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the peakscope-cli behind a launcher for its devices: whether the way there works, and what there is. One
// question at a time. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/device_probe.h"

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace peakscope {

struct JobEnd;
class JobProcess;

class LauncherCheck : public QObject
{
    Q_OBJECT

public:
    static constexpr int kPatience = 20000; // ms; a cluster's queue may take longer, a test should not

    explicit LauncherCheck(QObject* parent = nullptr, int patience = kPatience);
    ~LauncherCheck() override;

    // Runs `LAUNCHER peakscope-cli devices --json`; one of the signals follows. A question under way is given up.
    void start(const Agreed<QStringList>& launcher);
    void cancel(); // no signal follows
    bool busy() const { return m_process != nullptr; }
    const QStringList& launcher() const { return m_launcher; } // asked last

signals:
    void answered(const peakscope::DeviceList& devices);
    void failed(const QString& sentence); // one line: what, where, what would be right

private:
    void conclude(const JobEnd& end);
    void fail(const QString& sentence);
    void drop();

    JobProcess* m_process = nullptr;
    QTimer m_patience;
    QStringList m_launcher;
};

// The devices in what a command printed: the JSON array that begins a line, whatever greeting stands before or after.
// Of the lines that could begin or end it only the last few are looked at.
DeviceList devicesAfterGreeting(const QByteArray& output);

} // namespace peakscope
