// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `record` on the devices of this machine. No LibTorch.
#pragma once

#include "core/base/result.h"
#include "core/cli/commands/record_command.h"
#include "core/cli/commands/write_requests.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace peakscope {

// The exit status is the program's; 2 where it could not be started. `out`: of the result; empty: none is kept.
// `folder`: a temporary one.
int recordHere(const RecordArguments& arguments, const std::string& out, const std::filesystem::path& folder,
               WriteRequests& requests);

// Of --ring: how many steps are kept; 0: all. BadInput: that is no number of them.
Result<std::int64_t> ringSteps(const RecordArguments& arguments);

// Of --budget; 0: none was given. BadInput: that is no size.
Result<std::int64_t> budgetBytes(const RecordArguments& arguments);

// What a program recorded by itself into --read, which stays.
int readRecording(const RecordArguments& arguments, const std::string& out);

// For PYTHONPATH, so that programs find `import peakscope`.
int printRecorderFolder();

} // namespace peakscope
