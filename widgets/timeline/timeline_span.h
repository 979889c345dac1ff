// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a timeline is shown before the user chooses one.
#pragma once

#include "widgets/timeline/timeline_painter.h"

namespace peakscope {

// In place of seconds: the last few steps.
inline constexpr double kLastSteps = -1;

// The steps of a finished run and a little around them; all of it where it has none or they are half of it.
PlotArea stepsArea(const TimelineScene& scene, const PlotArea& bounds);
// The end of a run that goes on: its last `seconds`, or kLastSteps; 0: all of it. Bytes as in `view`.
PlotArea followedArea(const TimelineScene& scene, const PlotArea& bounds, const PlotArea& view, double seconds);

// "Last 5 s".
QString spanTitle(double seconds);

} // namespace peakscope
