// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of ways of clipping, run by `peakscope-cli compare-methods` beside the window: asked for, started, told
// of while it goes on, shown when it is over. GUI thread.
#pragma once

#include "app/run/command_consent.h"
#include "app/run/command_process.h"
#include "app/run/pace.h"

#include <nlohmann/json.hpp>

namespace peakscope {

class CommandQuestion;
class Documents;
class RunQueue;
class RunStarter;
class Shell;

class MethodsRunner : public CommandProcess
{
    Q_OBJECT

public:
    MethodsRunner(Shell& shell, RunQueue& queue, Documents& documents, RunStarter& starter, CommandQuestion& question,
                  QObject* parent);

    // Asks what to compare on the present set-up.
    void setUp();
    // Runs it into a folder. Asks about commands first.
    void start(const nlohmann::json& experiment, const QStringList& methods, int rounds, const QString& folder,
               const Origin& origin = {});

private:
    void tell();
    void onFinished(int exitStatus, const QString& message);

    Shell& m_shell;
    RunQueue& m_queue;
    Documents& m_documents;
    RunStarter& m_starter;
    CommandQuestion& m_question;
    QString m_folder;
    QStringList m_methods;
    int m_rounds = 0;
    Pace m_pace;
    int m_message = 0; // that tells how far it is
    QTimer m_look;
};

} // namespace peakscope
