// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `peakscope-cli sweep` beside the window: it writes sweep.json point by point, which the sweep's panel follows.
// One sweep at a time. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/command_process.h"

#include <QString>
#include <QTimer>

namespace peakscope {

class SweepProcess : public CommandProcess
{
    Q_OBJECT

public:
    explicit SweepProcess(QObject* parent = nullptr);

    // What an earlier run of the same sweep measured in its folder is taken over.
    void start(const Agreed<SweepStart>& sweep);
    QString file() const;                               // sweep.json
    const SweepHands& hands() const { return m_hands; } // of the last start
    const Origin& origin() const { return m_origin; }   // likewise

signals:
    // sweep.json is there, no point of it finished by this run yet.
    void fileReady(const QString& file);

protected:
    QString lastWords() const override;
    void conclude(int exitStatus, const QString& message) override;

private:
    void look();

    QString m_folder;
    SweepHands m_hands;
    Origin m_origin;
    QTimer m_look; // for the file
};

} // namespace peakscope
