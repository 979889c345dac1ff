// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a measure of a sweep grows along one key: measured points on logarithmic axes (linear where the key takes 0), a
// line for every setting of the other keys, the power law fitted to each where the points tell one, and a sentence of
// all together. GUI thread.
#pragma once

#include "core/analysis/statistics/power_law.h"
#include "core/results/sweeps/sweep_document.h"
#include "widgets/plot/plot_view.h"

#include <memory>

class QComboBox;
class QLabel;

namespace peakscope {

class LegendStrip;
struct SweepTrendScene;

class SweepTrendView : public PlotView
{
    Q_OBJECT
public:
    explicit SweepTrendView(QWidget* parent = nullptr);
    ~SweepTrendView() override;

    // Keeps the chosen key and measure where the new document has them; else opens on what was measured.
    void setSweep(SweepDocument sweep);
    void clear();

    void setKey(const std::string& key);
    void setMeasure(const std::string& measure);
    std::string key() const;
    // Of the lines shown, in their order.
    std::vector<PowerLawFit> fits() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void applyTheme(const ChartTheme& theme) override;

private:
    QComboBox* addBox(LanguageText name);
    void fillBoxes();
    void rebuild();
    void labelAxes();
    void updateLegend();

    std::unique_ptr<SweepTrendScene> m_scene;
    QComboBox* m_measureBox = nullptr;
    QComboBox* m_keyBox = nullptr;
    QLabel* m_growth = nullptr; // how it grows over all settings
    LegendStrip* m_legend = nullptr;
    bool m_filling = false;
    bool m_measureChosen = false; // by the user: kept while the sweep goes on
};

} // namespace peakscope
