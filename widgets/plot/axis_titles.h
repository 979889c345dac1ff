// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Titles of upright axes and colour bars in low plots: shortened where they are longer than the axis, and whole again
// where there is room; at another size the plot is laid out once more, for the room they take. A colour bar whose title
// would keep less than half of itself has none. GUI thread.
#pragma once

class QCustomPlot;

namespace peakscope {

void keepTitlesInside(QCustomPlot* plot);

} // namespace peakscope
