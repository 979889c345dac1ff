// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/free_memory.h"

#include "core/base/machine.h"
#include "core/base/units.h"

namespace peakscope {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;

} // namespace

std::optional<std::uint64_t> freeMemory()
{
    const auto memory = machineMemory();
    return memory ? std::optional(static_cast<std::uint64_t>(memory->availableBytes)) : std::nullopt;
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
