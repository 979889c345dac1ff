// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a program is started on its stand-in, for runDryProgram (one, in this process's streams) and DryRuns (several).
#pragma once

#include "core/dry/dry_program.h"

#include <sys/types.h>

namespace peakscope {

// Kept: no input, a file of the folder for each of the two others, and a process group of its own, so that it ends with
// all that it started.
enum class ProgramStreams { Shared, Kept };
inline constexpr const char* kProgramOutput = "stdout";
inline constexpr const char* kProgramErrors = "stderr";

// BadInput: it can't be started.
Result<pid_t> startDryProgram(const DryProgram& program, const std::filesystem::path& folder, ProgramStreams streams);

ProgramEnd programEnd(int waitStatus);

} // namespace peakscope
