// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the engine's own checks, which run under ctest and in `peakscope-cli selftest`.
#pragma once

#include <string>
#include <vector>

namespace peakscope {

struct CheckResult {
    std::string name;
    bool passed = false;
    std::string detail; // what was compared and how far apart it was, or why it could not run
};

} // namespace peakscope
