// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two sizes for one sentence that compares them: "199936 bytes" where formatBytes() would make them equal.
#pragma once

#include "core/base/units.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace peakscope {

inline std::pair<std::string, std::string> formatBytesApart(std::int64_t one, std::int64_t other)
{
    std::pair words(formatBytes(one), formatBytes(other));
    if (words.first == words.second && one != other)
        words = {fmt::format("{} bytes", one), fmt::format("{} bytes", other)};
    return words;
}

} // namespace peakscope
