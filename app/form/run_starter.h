// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Starts experiments, wherever in the window that is asked for. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"

#include <nlohmann/json.hpp>

#include <QObject>

namespace peakscope {

class CommandQuestion;
class Documents;
class ExperimentForm;
class RunQueue;
class Shell;
class ShownDocument;

class RunStarter : public QObject
{
    Q_OBJECT

public:
    RunStarter(Shell& shell, Documents& documents, RunQueue& queue, ShownDocument& front, CommandQuestion& question,
               QObject* parent);

    // The form that says whether an interrupted run is gone on with, and that a sweep varies. Before the first start.
    void setForm(ExperimentForm* form) { m_form = form; }
    ExperimentForm* form() const { return m_form; }

    // Puts an experiment into the queue and shows it; its number. 0 where it can't be run, and where it names a command
    // that the user is asked about first: both are said where it was started.
    int start(const nlohmann::json& experiment, const Origin& origin = {});
    // First what everybody knows, a few training steps with their memory to the byte; behind them what noise in weights
    // does, where that sample is installed.
    void startDemo();
    // Fills the set-up with an experiment, to be changed before it runs.
    void edit(const nlohmann::json& experiment, const Origin& origin = {});

    // The same with a file, where it holds one; false leaves it to the readers of results.
    bool openFile(const QString& path);

signals:
    void editRequested(const nlohmann::json& experiment, const peakscope::Origin& origin);

private:
    bool saysProblems(const nlohmann::json& experiment, const Origin& origin);

    Shell& m_shell;
    Documents& m_documents;
    RunQueue& m_queue;
    ShownDocument& m_front;
    CommandQuestion& m_question;
    ExperimentForm* m_form = nullptr;
};

} // namespace peakscope
