// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sets style, palette and text size of the whole program for a theme. GUI thread, after QApplication exists.
#pragma once

#include "app/parts/settings.h"

namespace peakscope {

// System follows the palette that the desktop gave the program at its start.
void applyTheme(Theme theme);
// The one applied last: that of the command line goes before the stored one.
Theme appliedTheme();

} // namespace peakscope
