// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The way from the small program to the one with the engine. No LibTorch.
#pragma once

namespace peakscope {

// Replaces this process by the engine's program (beside this one, else on the path) with the same arguments. Returns
// only where there is no such program: 2, after one line that says so (for a worker as an end event).
int handOver(int argc, char** argv);

// Reads all of standard input into memory that stands in its place, so that it can be read again: here, and by the
// engine's program. False where that cannot be done.
bool holdInput();

} // namespace peakscope
