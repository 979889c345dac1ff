// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine has and what this process uses, as the kernel says. Linux; unknown figures are 0.
#pragma once

#include <cstdint>
#include <string>

namespace peakscope {

struct MachineMemory {
    std::int64_t totalBytes = 0;
    std::int64_t availableBytes = 0; // without swapping; the control group's limit counted in
};
MachineMemory machineMemory();

struct ProcessMemory {
    std::int64_t residentBytes = 0;
    std::int64_t peakResidentBytes = 0;
};
ProcessMemory processMemory();

std::string processorName();
int processorCount(); // usable by this process

} // namespace peakscope
