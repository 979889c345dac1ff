// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Run workspace's page of a run on several ranks: their timelines side by side, finished or while they grow. Fed by
// the Run workspace; GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"

#include <QWidget>

#include <map>
#include <memory>
#include <vector>

class QLabel;

namespace peakscope {

class RanksView;

class RanksPage : public QWidget
{
    Q_OBJECT

public:
    explicit RanksPage(QWidget* parent = nullptr);

    RanksView* view() const { return m_view; }
    // Ranks of what is shown; 0 for a run of one process.
    int ranks() const { return m_ranks; }

    void showNothing();
    void showDocument(const RunDocument& document);

    // What comes from a running worker is kept from beginLive() on, shown or not.
    void beginLive();
    void appendLive(const std::vector<RankBatch>& batches);
    void showLive();
    // Draws what came since; cheap while the page is hidden or shows something else.
    void refreshLive();

private:
    void showMargin();
    struct LiveRank {
        std::shared_ptr<MemoryTimeline> timeline = std::make_shared<MemoryTimeline>();
        std::vector<PhaseMark> phases;
    };
    void showGrown(bool anew);

    RanksView* m_view = nullptr;
    QLabel* m_margin = nullptr; // what may come on top of each
    std::map<int, LiveRank> m_live;
    std::int64_t m_marginBytes = 0;
    bool m_showsLive = false;
    bool m_changed = false; // since the last drawing
    int m_ranks = 0;
};

} // namespace peakscope
