// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loads of a mixture's experts in the window. GUI thread.
#pragma once

#include "core/results/experts/expert_section.h"
#include "widgets/plot/chart_view.h"

namespace peakscope {

class ExpertLoadChart;

class ExpertLoadView : public ChartView
{
    Q_OBJECT
public:
    explicit ExpertLoadView(QWidget* parent = nullptr);

    // None: a sentence stands there.
    void setSection(ExpertSection section);

private:
    ExpertLoadChart& m_chart;
};

} // namespace peakscope
