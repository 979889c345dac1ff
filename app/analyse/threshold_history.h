// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of undo for the lines that part classes, which are dragged or set in fields: the steps of one gesture are one.
// GUI thread.
#pragma once

#include "core/analysis/response/partition.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace peakscope {

class AnalysePage;
class ViewHistory;
struct RunResult;

class ThresholdHistory : public QObject
{
    Q_OBJECT

public:
    ThresholdHistory(AnalysePage* analysis, ViewHistory& history, QObject* parent);

    // What moves are compared with from now on: the lines of the result in front, once it is read.
    void follow();
    // As they stand, whatever was before.
    void restart();
    // A gesture that goes on ends.
    void note();
    bool moving() const { return m_pause.isActive(); }

private:
    struct Lines {
        ClassThresholds thresholds;
        PartitionRule rule = PartitionRule::Absolute;
    };
    Lines present() const;

    AnalysePage* m_analysis;
    ViewHistory& m_history;
    QTimer m_pause;
    std::shared_ptr<const RunResult> m_result;
    Lines m_lines; // of that result, as noted last
};

} // namespace peakscope
