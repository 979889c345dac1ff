// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map of a sweep: any two keys, any measure, one setting of the other keys at a time; fills in while the sweep
// runs. Measured cells are coloured, refused ones hatched, predicted ones hollow. GUI thread.
#pragma once

#include "core/results/sweeps/sweep_document.h"
#include "widgets/plot/chart_view.h"

#include <memory>
#include <optional>

class QComboBox;

namespace peakscope {

class SweepHeatChart;

class SweepHeatMapView : public ChartView
{
    Q_OBJECT
public:
    explicit SweepHeatMapView(QWidget* parent = nullptr);

    // Keeps the chosen keys, measure and setting where the new document has them: the way live points come in.
    void setSweep(SweepDocument sweep);
    void clear();
    const SweepDocument& sweep() const;

    // The choices, as the boxes show them; unknown ones are ignored.
    void setAxes(const std::string& keyX, const std::string& keyY);
    void setMeasure(const std::string& measure);
    std::string keyX() const;
    std::string keyY() const;
    std::string measure() const;

    // The cell under a point of the plot widget, as an index of the sweep's points.
    std::optional<std::size_t> pointAt(QPointF position) const;
    std::optional<std::size_t> currentPoint() const;

signals:
    void pointSelected(int point);
    void pointActivated(int point); // double click or Enter

private:
    QComboBox* addBox(LanguageText name);
    void fillBoxes();
    void rebuild();

    SweepHeatChart& m_chart;
    std::shared_ptr<const SweepDocument> m_sweep;
    QComboBox* m_xBox = nullptr;
    QComboBox* m_yBox = nullptr;
    QComboBox* m_measureBox = nullptr;
    QComboBox* m_settingBox = nullptr;
    bool m_measureChosen = false; // by the user: kept while the sweep goes on
    bool m_filling = false;       // the boxes are set by the program
};

} // namespace peakscope
