// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of somebody's own while it runs in this process's streams: signals reach it, and nothing that it started is
// left behind. Not from several threads.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace peakscope {

using ProgramEnd = ChildEnd;

// Until it ends. SIGINT reaches it by the terminal; SIGTERM is passed on, and what has not ended five seconds later is
// killed. `look` is called some fifty times a second and once more after its end.
ProgramEnd waitForProgram(ChildProcess& program, const std::function<void()>& look);

std::filesystem::path programFolder(); // of this program itself
// The first of these that is there; BadInput names `what`.
Result<std::filesystem::path> firstFolder(const char* what, const std::vector<std::filesystem::path>& candidates);
// Of what a program's own Python loads: beside this program, or where the package installed it.
Result<std::filesystem::path> recorderFolder();

} // namespace peakscope
