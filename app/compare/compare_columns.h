// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The compared runs as heads of columns: letter, name, main numbers. GUI thread.
#pragma once

#include "core/results/run_result.h"

#include <QScrollArea>
#include <QStringList>

#include <memory>
#include <vector>

class QHBoxLayout;

namespace peakscope {

// "predicted", "synthetic, imported": what sets a run's numbers apart; empty for nothing.
QString comparedBadge(const RunResult& result);

class CompareColumns : public QScrollArea
{
    Q_OBJECT

public:
    explicit CompareColumns(QWidget* parent);

    void setRuns(const std::vector<std::shared_ptr<const RunResult>>& runs, const QStringList& labels,
                 std::size_t base);

signals:
    void removeRequested(std::size_t run);
    void activated(std::size_t run); // by a double click

private:
    QHBoxLayout* m_row;
};

} // namespace peakscope
