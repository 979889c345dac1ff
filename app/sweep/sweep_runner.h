// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep under way, one at a time: set up, asked about, started, told of and gone on with. GUI thread.
#pragma once

#include "app/sweep/sweep_process.h"

#include <nlohmann/json.hpp>

#include <QObject>

namespace peakscope {

class CommandQuestion;
class Documents;
class Front;
class RunQueue;
class RunStarter;
class Shell;
class SweepPanel;

class SweepRunner : public QObject
{
    Q_OBJECT

public:
    SweepRunner(Shell& shell, RunQueue& queue, Documents& documents, Front& front, RunStarter& starter,
                CommandQuestion& question, QObject* parent);

    // Where the sweep in front is drawn.
    void setPanel(SweepPanel* panel);

    // Asks what to vary of the present set-up.
    void setUp();
    // Runs a sweep (a SWEEP.json) into a folder, going on where an earlier run of it ended. Asks about commands first.
    void start(const nlohmann::ordered_json& document, const QString& folder, const SweepHands& hands = {},
               const Origin& origin = {});
    void stop() { m_process.stop(); }
    bool running() const { return m_process.running(); }
    QString file() const { return m_process.file(); } // of the last start
    // The document in front is the sweep under way.
    bool showsRunning() const;
    // Goes on with the sweep in front, where that is a file of one; whether it was.
    bool resumeShown();

signals:
    void changed(); // running() or showsRunning()

private:
    void tell();
    void onFinished(int exitStatus, const QString& message);
    static QString newFolder();

    Shell& m_shell;
    RunQueue& m_queue;
    Documents& m_documents;
    Front& m_front;
    RunStarter& m_starter;
    CommandQuestion& m_question;
    SweepProcess m_process;
    SweepPanel* m_panel = nullptr;
    int m_exitStatus = 0; // the last one's
    QString m_message;
};

} // namespace peakscope
