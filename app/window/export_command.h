// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `peakscope export`: figures of result files, and `peakscope report`: a page of them, made without a display.
#pragma once

#include "app/shell/command_line.h"

namespace peakscope {

// Needs a QGuiApplication. Prints the files written, or one line on standard error; returns the exit status (0 done,
// 1 can't write, 2 unusable input).
int runExport(const CommandLine& line);
int runReport(const CommandLine& line);

} // namespace peakscope
