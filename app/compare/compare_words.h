// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons in the user's words: what cannot be compared, how a quantity grows, what the inspector says of a row. GUI
// thread for translations.
#pragma once

#include "app/parts/inspector_panel.h"
#include "core/analysis/comparison/run_comparison.h"
#include "core/results/memory_timeline.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace peakscope {

// Like sentences of several runs as one: "Runs A, B, C: …".
QStringList caveatTexts(const RunComparison& comparison);
// "Peak over sequence: exponent 1.98 (95 %: 1.91 to 2.05), quadratic".
QString growthText(const ScalingFit& fit);
QString comparisonGroupTitle(ComparisonGroup group);
// A row of a table: its value in every run, difference and ratio.
InspectorContent inspectComparedRow(const RunComparison& comparison, ComparisonGroup group, const ComparedRow& row,
                                    const QStringList& labels);
// The highest total of every run within a range of the common time axis, in seconds, against that of the base. A run
// without a timeline has none.
InspectorContent inspectComparedRange(const std::vector<std::shared_ptr<const MemoryTimeline>>& timelines, double lower,
                                      double upper, std::size_t base, const QStringList& names);

} // namespace peakscope
