// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/free_memory.h"

#include "core/base/units.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace peakscope {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;

std::optional<std::uint64_t> numberIn(const char* path)
{
    std::ifstream file(path);
    std::uint64_t value = 0;
    return file >> value ? std::optional(value) : std::nullopt; // "max" where there is no limit
}

} // namespace

std::optional<std::uint64_t> freeMemory()
{
    std::optional<std::uint64_t> free;
    std::ifstream file("/proc/meminfo");
    for (std::string line; !free && std::getline(file, line);) {
        constexpr std::string_view kLabel = "MemAvailable:";
        if (line.starts_with(kLabel))
            free = std::strtoull(line.c_str() + kLabel.size(), nullptr, 10) * 1024;
    }
    const auto limit = numberIn("/sys/fs/cgroup/memory.max");
    const auto used = numberIn("/sys/fs/cgroup/memory.current");
    if (free && limit && used)
        free = std::min(*free, *limit - std::min(*limit, *used));
    return free;
}

Status checkMemory(const std::string& name, std::uint64_t size, std::uint64_t factor)
{
    return size < kSmall ? Status(Done{}) : checkMemory(name, size, factor, freeMemory());
}

Status checkMemory(const std::string& name, std::uint64_t size, std::uint64_t factor, std::optional<std::uint64_t> free)
{
    if (size < kSmall || !free || size <= *free / factor)
        return Done{};
    const auto text = [](std::uint64_t bytes) { return formatBytes(static_cast<std::int64_t>(bytes)); };
    return badInput(name, "reading its " + text(size) + " may take " + text(size * factor) + " of memory, and " +
                              text(*free) + " are free");
}

} // namespace peakscope
