// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An upright line through a timeline at one time: the cursor, or the reference. Private to MemoryTimelineView.
#pragma once

#include <optional>

class QCPItemStraightLine;
class QCustomPlot;

namespace peakscope {

QCPItemStraightLine* makeCursorLine(QCustomPlot* plot);
void placeCursorLine(QCPItemStraightLine* line, std::optional<double> time); // nothing: hidden

} // namespace peakscope
