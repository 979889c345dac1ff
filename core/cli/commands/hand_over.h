// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The way from one program to the one that does the work: the engine, or its checks. No LibTorch.
#pragma once

#include "core/base/result.h"
#include "core/cli/programs/engine_choice.h"

#include <string>

namespace peakscope {

// What a command says after its name where the engine's program is missing.
inline constexpr const char* kNeedsEngine = " needs the engine: ";

inline constexpr const char* kSelftestProgram = "peakscope-selftest"; // packaging/run does not build it
inline constexpr const char* kSelftestText = "Run the engine's own checks";
bool isSelftest(int argc, char** argv);

// Replaces this process by `program` (beside this one, else on the path) with the same arguments. Returns only where
// there is no such program: 2, after one line that says so (for a worker as an end event).
int handOver(const char* program, int argc, char** argv);
bool hasEngine(); // its program is beside this one or on the path
// The same for the window's program, which draws.
int handToWindow(int argc, char** argv);
// As handOver, but says nothing where there is no such program: errno.
int tryHandOver(const char* program, char** argv);

// Reads what can be read once only (standard input for "-", a pipe by its path) into memory that this program and,
// after handOver, the engine's can both read: `held` is its path, empty where `path` is a file.
Status holdInput(const std::string& path, std::string& held);

} // namespace peakscope
