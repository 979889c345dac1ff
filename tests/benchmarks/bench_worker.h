// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which program the workers of a benchmark are.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace peakscope {

// The peakscope-cli built beside this program, unless PEAKSCOPE_CLI names another.
inline void findWorker()
{
    std::error_code error;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "peakscope-cli";
    if (!error && std::filesystem::exists(beside))
        ::setenv("PEAKSCOPE_CLI", beside.c_str(), 0);
}

} // namespace peakscope
