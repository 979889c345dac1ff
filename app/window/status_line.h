// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is read or run in the background, in a line at the window's foot. GUI thread.
#pragma once

#include <QLabel>

namespace peakscope {

class Documents;
class JobQueue;
class RunQueue;

class StatusLine : public QLabel
{
    Q_OBJECT

public:
    StatusLine(const JobQueue& jobs, const RunQueue& queue, const Documents& documents, QWidget* parent);

private:
    void say();

    const JobQueue& m_jobs;
    const RunQueue& m_queue;
    const Documents& m_documents;
};

} // namespace peakscope
