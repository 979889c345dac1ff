// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a program is started on its stand-in, for runDryProgram (one, in this process's streams) and DryRuns (several).
#pragma once

#include "core/dry/dry_program.h"

#include <string_view>

namespace peakscope {

// 16 TiB of addresses are reserved, without memory. BadInput: there is a limit on them.
Status addressesSuffice();

// How many launches the card runs behind: 0: none; -1: all until the host waits.
std::int64_t launchesBehind(CardPace pace);

// Kept: no input, a file of the folder for each of the two others, and a process group of its own, so that it ends with
// all that it started.
enum class ProgramStreams { Shared, Kept };
inline constexpr const char* kProgramOutput = "stdout";
inline constexpr const char* kProgramErrors = "stderr";

// How a line begins that packaging/python says beside the program.
inline constexpr std::string_view kOurs = "peakscope: ";

// BadInput: it can't be started.
Result<ChildProcess> startDryProgram(const DryProgram& program, const std::filesystem::path& folder,
                                     ProgramStreams streams);

} // namespace peakscope
