// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the units of the Analyse workspace are coloured by: class, cluster, module kind, layer or a feature. Pure
// functions for the GUI thread.
#pragma once

#include "widgets/analysis/analysis_plot.h"

#include <QCoreApplication>

#include <optional>
#include <vector>

namespace peakscope {

// For UnitScatterView::setStyles.
struct UnitColours {
    std::vector<int> styleOf; // one a unit
    std::vector<MarkerStyle> styles;
    std::vector<LegendMark> legend;

    Q_DECLARE_TR_FUNCTIONS(peakscope::UnitColours)
};

UnitColours coloursByClass(std::size_t units, const std::vector<UnitGroup>& labels);
UnitColours coloursByCluster(const std::vector<int>& clusters);
UnitColours coloursByKind(const AnalysisData& data);
// By rank, as a feature may span decades; grey where there is no number.
UnitColours coloursByValue(const std::vector<double>& values);

// The number of the layer that a unit is in.
std::optional<int> layerOfUnit(const AnalysisUnit& unit);
std::vector<double> layersOf(const AnalysisData& data);
std::vector<double> featureOf(const AnalysisData& data, std::size_t feature);

} // namespace peakscope
