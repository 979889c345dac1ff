// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Compares runs and puts their timelines on one axis in a background thread of its own. The latest request wins. GUI
// thread but for the computing itself.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/parts/background_thread.h"
#include "core/analysis/comparison/run_comparison.h"
#include "core/analysis/comparison/timeline_alignment.h"
#include "core/results/sweeps/snapshot_course.h"

#include <QObject>

#include <memory>
#include <vector>

namespace peakscope {

struct CompareAnswer {
    RunComparison comparison;
    std::vector<TimeMap> maps;                                    // one a run
    std::vector<std::shared_ptr<const MemoryTimeline>> timelines; // on the common axis; null where a run has none
    TimelineAlignment alignment = TimelineAlignment::Phase;
};

class CompareWorker : public QObject
{
    Q_OBJECT

public:
    explicit CompareWorker(QObject* parent = nullptr);

    void ask(const std::vector<RunDocument>& runs, std::size_t base, TimelineAlignment alignment);
    // What was asked for is not answered any more.
    void forget();
    bool busy() const { return m_answered != m_asked; }

signals:
    void answered(const std::shared_ptr<const peakscope::CompareAnswer>& answer);

private:
    int m_asked = 0;
    int m_answered = 0;
    BackgroundThread m_thread;
};

// The snapshots of runs that have no timeline, on the common axis; null elsewhere. Those without times go over all of
// it.
std::vector<std::shared_ptr<const SnapshotCourse>> coursesOf(const std::vector<RunDocument>& runs,
                                                             const CompareAnswer& answer);

} // namespace peakscope
