// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window ends: it asks before it ends what is under way, stops that, and closes once it has stopped. GUI
// thread.
#pragma once

#include <QObject>

class QMainWindow;

namespace peakscope {

class JobQueue;
class MessageBar;
class RunQueue;

class Closing : public QObject
{
    Q_OBJECT

public:
    Closing(QMainWindow& window, MessageBar& messages, JobQueue& jobs, RunQueue& queue);

    // Whether the window stays until the user has answered. Asked anew at each attempt to close it.
    bool asks();
    bool asking() const; // that question stands
    // Whether something is under way: it is stopped, what it found is saved, and the window closes by itself.
    bool stops();
    bool stopping() const { return m_stopping; }

private:
    bool underWay() const;
    void onEnded();

    QMainWindow& m_window;
    MessageBar& m_messages;
    JobQueue& m_jobs;
    RunQueue& m_queue;
    bool m_stopping = false;
    bool m_mayStop = false; // what is under way, said by the user
    int m_question = 0;     // the message, while something is under way
};

} // namespace peakscope
