// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The colour maps: for shares of 0 to 1, for differences about zero, and the ink that can be read on a colour. Pure
// functions.
#pragma once

#include <QColor>

namespace peakscope {

// Dark violet to yellow for 0 to 1 (van der Walt and Smith 2015).
QColor viridis(double share);
// Dark blue to yellow (cividis): readable for every kind of colour vision and in grey; grey for what is no number.
QColor sequentialColor(double share);
// Blue to orange for -1 to 1, neutral at 0; the neutral colour is near the background of the theme.
QColor divergingColor(double share, bool dark);
// Black or white, whichever stands out more.
QColor readableOn(const QColor& fill);

} // namespace peakscope
