// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A device of this machine. Which there are, only a program with LibTorch can tell.
#pragma once

#include <cstdint>
#include <string>

namespace peakscope {

struct LocalDevice {
    std::string id; // cpu, cuda:0
    std::string name;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    std::int64_t usableBytes = 0; // total less what system and driver keep
};

} // namespace peakscope
