// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A search for what fits: reserved memory against what was varied, a line a card, up to that card's capacity. GUI
// thread.
#pragma once

#include "core/results/sweeps/fit_section.h"
#include "widgets/plot/plot_view.h"

#include <memory>

class QLabel;

namespace peakscope {

class LegendStrip;

struct FitCurve {
    QString name;                   // of the card, with what else was set
    std::int64_t capacityBytes = 0; // that a run may reserve, the search's margin kept; 0: not known
    FitSection::Search search;
    std::int64_t usableBytes = 0;  // of the card, as every other place says it; 0: not known
    std::int64_t contextBytes = 0; // of that, what the CUDA context takes
    double target = 1; // the share of what the card leaves that the search keeps to
    LanguageText room; // how that capacity comes about
};

class FitView : public PlotView
{
    Q_OBJECT

public:
    explicit FitView(QWidget* parent = nullptr);
    ~FitView() override;

    void setFit(const QString& varied, std::vector<FitCurve> curves);

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void applyTheme(const ChartTheme& theme) override;

private:
    struct Scene;
    void say();

    std::unique_ptr<Scene> m_scene;
    QLabel* m_reading = nullptr;
    LegendStrip* m_legend = nullptr;
};

// "On NVIDIA A800 SXM 80GB, batch 46 fits: 70.1 of 79.2 GiB.", a sentence a curve.
QString fitAnswer(const QString& varied, const std::vector<FitCurve>& curves);
// How the capacities come about, a line a card.
QString fitRooms(const std::vector<FitCurve>& curves);

} // namespace peakscope
