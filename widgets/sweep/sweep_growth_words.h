// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is said and drawn of a sweep's growth, the same in the window's trends and in their figure; GUI thread.
#pragma once

#include "core/analysis/comparison/sweep_growth.h"

#include <QColor>
#include <QString>
#include <QStringList>

namespace peakscope {

// The most settings that one picture tells apart: as many colours, each with its marker.
inline constexpr std::size_t kMostTrendLines = 12;
QColor trendColor(std::size_t line, bool dark);

// Lines that no eye tells apart, the first of each group to be drawn: values within half a percent, and within half a
// percent of what all lines span.
std::vector<std::vector<std::size_t>> coincidingLines(const SweepGrowth& growth);
// The settings of such a group.
std::vector<nlohmann::json> settingsOf(const SweepGrowth& growth, const std::vector<std::size_t>& group);

// Of all settings together: "linear", "exponent 1.02 (95 %: 0.98 to 1.05)", "above parameters and their states", "+45 %
// to +47 % from 64 to 128", and what limits that.
// `ofTwo`: with it where there are two values only.
QStringList growthParts(const SweepGrowth& growth, bool ofTwo = true);
// What limits all of these keys.
QString twoValuesText(const QStringList& keys);
// "Peak memory along Sequence (tokens): " with these.
QString growthText(const SweepGrowth& growth);
// "exponent 1.98 (95 %: 1.95 to 2.01) above 12.3 MiB", or why there is none.
QString trendFitText(const GrowthLine& line, const std::string& measure);

} // namespace peakscope
