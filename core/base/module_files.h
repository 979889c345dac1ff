// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where libraries lie that are opened at run time.
#pragma once

#include <filesystem>
#include <vector>

namespace peakscope {

// The places of a library, the likeliest first: what the environment's `variable` names, beside the program, in
// ../lib/peakscope, and in Debian's folder of libraries for this processor. Whether anything is there is not looked at.
std::vector<std::filesystem::path> moduleFiles(const char* library, const char* variable);

} // namespace peakscope
