// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the collectives of a chosen rank send, in the window. GUI thread.
#pragma once

#include "widgets/plot/chart_view.h"

namespace peakscope {

class CollectiveChart;

class CollectiveView : public ChartView
{
    Q_OBJECT
public:
    explicit CollectiveView(QWidget* parent = nullptr);

    // A rank that tells no collectives: a sentence stands there.
    void setRank(const RunResult& result, std::size_t index);

private:
    CollectiveChart& m_chart;
};

} // namespace peakscope
