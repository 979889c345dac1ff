// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/machine.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string_view>

namespace peakscope {
namespace {

// "Name:   123 kB" lines of /proc files.
std::int64_t kilobyteLine(std::string_view line, std::string_view key)
{
    if (line.substr(0, key.size()) != key)
        return -1;
    return std::strtoll(std::string(line.substr(key.size())).c_str(), nullptr, 10) * 1024;
}

std::int64_t numberIn(const char* path)
{
    std::ifstream file(path);
    std::string text;
    if (!(file >> text) || text == "max")
        return -1;
    return std::strtoll(text.c_str(), nullptr, 10);
}

} // namespace

MachineMemory machineMemory()
{
    MachineMemory memory;
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (const auto bytes = kilobyteLine(line, "MemTotal:"); bytes >= 0)
            memory.totalBytes = bytes;
        if (const auto bytes = kilobyteLine(line, "MemAvailable:"); bytes >= 0)
            memory.availableBytes = bytes;
    }
    // A container may have less than the machine (control groups, version 2).
    const std::int64_t limit = numberIn("/sys/fs/cgroup/memory.max");
    const std::int64_t used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit > 0 && limit < memory.totalBytes && used >= 0) {
        memory.totalBytes = limit;
        memory.availableBytes = std::min(memory.availableBytes, std::max<std::int64_t>(0, limit - used));
    }
    return memory;
}

ProcessMemory processMemory()
{
    ProcessMemory memory;
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (const auto bytes = kilobyteLine(line, "VmRSS:"); bytes >= 0)
            memory.residentBytes = bytes;
        if (const auto bytes = kilobyteLine(line, "VmHWM:"); bytes >= 0)
            memory.peakResidentBytes = bytes;
    }
    return memory;
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos)
                return line.substr(colon + 2);
        }
    }
    return "CPU";
}

int processorCount()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return 1;
}

} // namespace peakscope
