// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Memory against time, a marker a run: down and to the left is better. Dashed lines show what no method can go below
// where that is known. GUI thread.
#pragma once

#include "core/analysis/comparison/run_comparison.h"
#include "widgets/plot/plot_view.h"

#include <memory>
#include <optional>
#include <vector>

namespace peakscope {

struct ComparePoint {
    QString title; // without its letter
    QString badge;
    std::optional<std::int64_t> peakBytes;
    std::optional<double> stepSeconds;
};

class CompareScatterView : public PlotView
{
    Q_OBJECT
public:
    explicit CompareScatterView(QWidget* parent = nullptr);
    ~CompareScatterView() override;

    // `floor`: parameters, one set of gradients and optimiser states, which every step holds at once. `base`: the run
    // that the others are compared with. The same places as before keep what is looked at.
    void setPoints(std::vector<ComparePoint> points, std::size_t base, SharedFloor floor);

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setCurrent(int run); // -1: none

signals:
    void pointActivated(int run);

protected:
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Scene;
    int pointAt(QPointF position) const; // -1: none
    void updateBounds();

    std::unique_ptr<Scene> m_scene;
};

} // namespace peakscope
