// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter unit of an analysis in words. GUI thread.
#pragma once

#include "app/shell/inspector_content.h"
#include "core/results/analysis_sections.h"

#include <QList>
#include <QString>

#include <array>
#include <vector>

namespace peakscope {

// Units as they are shown: classes by the lines in force, clusters as stored or computed anew.
struct ShownUnits {
    const AnalysisData& data;
    const std::vector<UnitGroup>& labels;
    const std::vector<int>& clusters;
};

// "Wfunc · Cluster 2 · alignment 0.81, sparsity 0.12 · attention"; empty for a unit that is not there.
QString unitDetails(const ShownUnits& shown, int unit);
// Empty for a unit that is not there.
InspectorContent inspectUnit(const ShownUnits& shown, int unit);
// One, or of several how many of which class and cluster, and the means of their features beside those of all.
InspectorContent inspectUnits(const ShownUnits& shown, const QList<int>& units);

std::vector<QString> unitNames(const AnalysisData& data);
// That all of them have; None: they have several, or there are none.
UnitGroup commonGroup(const std::vector<UnitGroup>& labels, const QList<int>& units);
// "Wfunc 3, Wsens 1, Wboth 0".
QString countsText(const std::array<std::int64_t, 3>& counts);

} // namespace peakscope
