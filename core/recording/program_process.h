// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of somebody's own while it runs in this process's streams: signals reach it, and nothing that it started is
// left behind. Not from several threads.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>

namespace peakscope {

using ProgramEnd = ChildEnd;

// Until it ends. SIGINT reaches it by the terminal; SIGTERM and SIGHUP are passed on, and what has not ended five
// seconds later is killed. `look` is called some fifty times a second and once more after its end.
ProgramEnd waitForProgram(ChildProcess& program, const std::function<void()>& look);

// Each beside this program, or where the package installed it; BadInput: it is not there.
// Of what a program's own Python loads.
Result<std::filesystem::path> recorderFolder();
Result<std::filesystem::path> standInFolder(); // of a CUDA card

} // namespace peakscope
