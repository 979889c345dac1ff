// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine has and what this process uses, as the kernel says. Linux. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

struct MachineMemory {
    std::int64_t totalBytes = 0;
    std::int64_t availableBytes = 0; // without swapping
};
// A container's limit counted in; nothing where the kernel does not say.
std::optional<MachineMemory> machineMemory();
// What the text of /proc/meminfo says.
std::optional<MachineMemory> machineMemoryFromText(std::string_view text);

struct ProcessMemory {
    std::int64_t residentBytes = 0; // 0 where it is not known
    std::int64_t peakResidentBytes = 0;
};
ProcessMemory processMemory();
ProcessMemory processMemory(std::int64_t process); // of another one of this user

std::string processorName();
int processorCount(); // usable by this process

// Whether a driver of NVIDIA's is loaded, Windows' beneath a Linux there among them. Asks no library.
bool hasNvidiaDriver();

} // namespace peakscope
