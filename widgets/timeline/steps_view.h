// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The peak of each step of a long recording, and what was alive at the step's end: growth from step to step is seen
// where the timeline holds the last steps alone. GUI thread.
#pragma once

#include "core/results/run_sections.h"
#include "widgets/plot/readout_plot.h"

namespace peakscope {

class StepsView : public ReadoutPlot
{
    Q_OBJECT
public:
    explicit StepsView(QWidget* parent = nullptr);

    // None: a sentence stands there.
    void setSteps(StepTable steps);

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    void updateLegend() override;
    QPointF stepFrom(const QPointF& place, int dx, int dy) const override;

private:
    std::size_t nearest(double step) const;
    QString stepText(std::size_t row) const;

    StepTable m_steps;
};

} // namespace peakscope
