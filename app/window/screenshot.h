// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `peakscope --screenshot`: a picture of the window with results in it, for manuals and for looking at by eye.
#pragma once

#include "app/shell/command_line.h"

namespace peakscope {

// Needs a QApplication; returns the exit status (0 done, 1 can't write, 2 unreadable result).
int takeScreenshot(const CommandLine& line);

} // namespace peakscope
