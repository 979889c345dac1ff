// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes and times as people read them: the one place that formats them, for the window, the command line and messages.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace peakscope {

// "512 B", "1.00 KiB", "12.3 MiB", "1023 MiB", "80.0 GiB": exact below 1 KiB, else 3 to 4 significant digits.
std::string formatBytes(std::int64_t bytes);

// "340 ns", "12.3 µs", "340 ms", "1.24 s", "2 min 05 s", "3 h 07 min", "2 d 04 h"; "–" for what is not a number.
std::string formatSeconds(double seconds);

// "1024", "1.5e9", "512MiB", "80 GiB", "1GB" (decimal), "8G" (as 8GiB); letters in any case. The error says what would
// be right.
Result<std::int64_t> parseBytes(std::string_view text);

} // namespace peakscope
