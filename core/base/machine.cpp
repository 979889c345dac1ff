// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string_view>

namespace peakscope {
namespace {

// Of a line "Name:   123 kB" in the text of a /proc file.
std::optional<std::int64_t> kilobyteLine(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.starts_with(name))
            continue;
        const std::string number(line.substr(name.size()));
        char* end = nullptr;
        const long long value = std::strtoll(number.c_str(), &end, 10);
        return end == number.c_str() ? std::nullopt : std::optional<std::int64_t>(value * 1024);
    }
    return std::nullopt;
}

std::string textOf(const char* path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::int64_t> numberIn(const char* path)
{
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? std::optional(value) : std::nullopt; // "max" where there is no limit
}

} // namespace

std::optional<MachineMemory> machineMemoryFromText(std::string_view text)
{
    const auto total = kilobyteLine(text, "MemTotal:");
    const auto available = kilobyteLine(text, "MemAvailable:");
    if (!total || !available || *total <= 0)
        return std::nullopt;
    return MachineMemory{*total, *available};
}

std::optional<MachineMemory> machineMemory()
{
    auto memory = machineMemoryFromText(textOf("/proc/meminfo"));
    // A container may have less than the machine (control groups, version 2).
    const auto limit = numberIn("/sys/fs/cgroup/memory.max");
    const auto used = numberIn("/sys/fs/cgroup/memory.current");
    if (memory && limit && used) {
        memory->totalBytes = std::min(memory->totalBytes, *limit);
        memory->availableBytes = std::min(memory->availableBytes, std::max<std::int64_t>(0, *limit - *used));
    }
    return memory;
}

namespace {

ProcessMemory memoryOf(const std::string& process)
{
    const std::string status = textOf(("/proc/" + process + "/status").c_str());
    return {kilobyteLine(status, "VmRSS:").value_or(0), kilobyteLine(status, "VmHWM:").value_or(0)};
}

} // namespace

ProcessMemory processMemory()
{
    return memoryOf("self");
}

ProcessMemory processMemory(std::int64_t process)
{
    return memoryOf(std::to_string(process));
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

bool hasNvidiaDriver()
{
    std::error_code error;
    return std::filesystem::exists("/proc/driver/nvidia/version", error) || std::filesystem::exists("/dev/dxg", error);
}

} // namespace peakscope
