// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that does what it is given, one after the other, and answers to the GUI's.
#pragma once

#include <QObject>
#include <QThread>

#include <functional>
#include <stop_token>

namespace peakscope {

class BackgroundThread
{
public:
    // Answers run in the thread of `owner`, and not any more when it is gone.
    BackgroundThread(QObject* owner, const QString& name, QThread::Priority priority = QThread::InheritPriority);
    // Waits for what is under way.
    ~BackgroundThread();

    using Job = std::function<void()>;
    // In the thread, after what was posted before.
    void post(Job job) const;
    // From the thread to the owner's. Nothing of it runs that is stopped until then: a later request may have come
    // meanwhile.
    void answer(Job job) const;
    void answer(const std::stop_token& stop, Job job) const;

private:
    QObject* m_owner;
    QThread m_thread;
    QObject* m_context; // lives in m_thread
};

} // namespace peakscope
