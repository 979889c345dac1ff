// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The degradation ladder of a plan: one change after another, the peak each leaves and what that change alone saves,
// against the device's capacity. All predicted. GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/plot/bars_view.h"

namespace peakscope {

class LadderView : public BarsView
{
    Q_OBJECT
public:
    explicit LadderView(QWidget* parent = nullptr);

    void setLadder(std::vector<PlannedStep> steps, const PlannedDevice& device);
    void clear();
    const std::vector<PlannedStep>& steps() const { return m_steps; }
    QString summary() const override;

signals:
    void stepActivated(int index); // double click or Enter on a step

protected:
    void rebuild() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::vector<PlannedStep> m_steps;
    PlannedDevice m_device;
    int m_current = -1;
};

} // namespace peakscope
