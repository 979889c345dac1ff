// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Hears a run's events and hands them to the GUI in batches, at most one every 40 ms, the next one once the last was
// taken. Lives in the queue's thread; batchTaken() alone may be called from another one.
#pragma once

#include "app/jobs/job_queue.h"
#include "app/jobs/run_queue.h"
#include "widgets/analysis/analysis_live.h"

#include <QElapsedTimer>
#include <QTimer>

#include <atomic>
#include <memory>

namespace peakscope {

class RunReader : public JobListener
{
    Q_OBJECT

public:
    static constexpr int kBatchInterval = 40; // ms

    // Of the run with this number.
    explicit RunReader(int id);

    void begin() override;
    void hear(const Event& event) override;
    void end() override { sendBatch(true); }

    // Shared with the GUI, which may outlive the reader.
    using InFlight = std::shared_ptr<std::atomic<bool>>;
    const InFlight& inFlight() const { return m_inFlight; }

signals:
    void batchReady(const std::shared_ptr<const peakscope::LiveBatch>& batch);

private:
    void addOfRank(const Event& event);
    void addStage(const StageEvent& stage);
    void beginAgain();
    void sendBatch(bool evenIfBusy);

    int m_id;
    QTimer m_timer;
    bool m_began = false; // a start event came
    std::shared_ptr<LiveBatch> m_batch;
    QElapsedTimer m_sinceSent;
    QElapsedTimer m_sinceStart;
    CurvatureFollower m_curvature;
    AnalysisFollower m_analysis;
    InFlight m_inFlight = std::make_shared<std::atomic<bool>>(false);
};

} // namespace peakscope
