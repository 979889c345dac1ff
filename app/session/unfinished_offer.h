// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs, sweeps and comparisons that an earlier window could not finish: kept until they are answered for, offered
// again, never started unasked. GUI thread.
#pragma once

#include "app/parts/message_bar.h"
#include "app/session/unfinished_runs.h"
#include "app/shell/workspace.h"

#include <QObject>
#include <QStringList>

#include <deque>
#include <functional>
#include <vector>

namespace peakscope {

class CommandQuestion;
class JobQueue;
class RunQueue;
class RunStarter;
class Shell;
class SweepRunner;

class UnfinishedOffer : public QObject
{
    Q_OBJECT

public:
    UnfinishedOffer(Shell& shell, JobQueue& jobs, RunQueue& queue, RunStarter& starter, SweepRunner& sweeps,
                    CommandQuestion& question, QObject* parent);

    // What earlier windows left; before any run is added, which would stand among them.
    void take();
    // Of a workspace, which finds it again at each start until it is gone on with or discarded.
    void add(LeftWork work);
    // This window's own are not kept, and none are offered.
    void setKept(bool kept) { m_kept = kept; }
    // What this window has waiting or under way, for a later one. `ended`: it is about to close.
    void note(bool ended = false);
    // Offers them, with the files that are not there any more, as soon as no other message stands there.
    void tell(const QStringList& vanished = {});

private:
    void postpone();
    std::vector<UnfinishedRun> answered();
    std::vector<MessageBar::Action> actions();
    LanguageText sentence() const;
    void startAll();
    void start(const UnfinishedRun& run);
    void startNext();
    void discardAll();

    Shell& m_shell;
    JobQueue& m_jobs;
    RunQueue& m_queue;
    RunStarter& m_starter;
    SweepRunner& m_sweeps;
    CommandQuestion& m_question;
    const QString m_key = newWindowKey();
    std::vector<UnfinishedRun> m_left; // not answered for yet
    std::vector<LeftWork> m_works;     // likewise
    std::vector<UnfinishedRun> m_goOn; // under way since before this window
    std::deque<std::function<void()>> m_starts; // those agreed to, in their turn
    QStringList m_vanished;
    int m_offer = 0; // the message that offers them
    bool m_kept = true;
    bool m_told = false; // the session is there again: they may be offered
};

} // namespace peakscope
