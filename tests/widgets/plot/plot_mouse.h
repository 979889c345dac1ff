// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>

namespace peakscope {

class PlotView;

namespace test {

// The pixel of the plot where a place of its axes lies.
QPoint pixelAt(const PlotView& view, double x, double y);
// Without the system's pointer, which stays on a screen that may be smaller than the view.
void hover(PlotView& view, QPoint place);

} // namespace test
} // namespace peakscope
