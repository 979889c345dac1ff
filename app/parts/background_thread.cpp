// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/background_thread.h"

#include <utility>

namespace peakscope {

BackgroundThread::BackgroundThread(QObject* owner, const QString& name, QThread::Priority priority)
    : m_owner(owner), m_context(new QObject)
{
    m_context->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_context, &QObject::deleteLater);
    m_thread.setObjectName(name);
    m_thread.start(priority);
}

BackgroundThread::~BackgroundThread()
{
    m_thread.quit();
    m_thread.wait();
}

void BackgroundThread::post(Job job) const
{
    QMetaObject::invokeMethod(m_context, std::move(job), Qt::QueuedConnection);
}

void BackgroundThread::answer(Job job) const
{
    QMetaObject::invokeMethod(m_owner, std::move(job), Qt::QueuedConnection);
}

void BackgroundThread::answer(const std::stop_token& stop, Job job) const
{
    answer([stop, job = std::move(job)] {
        if (!stop.stop_requested())
            job();
    });
}

} // namespace peakscope
