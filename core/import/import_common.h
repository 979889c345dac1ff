// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Small conversions of the readers. Private to this folder.
#pragma once

#include "core/results/run_result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// "[3]".
std::string atIndex(std::size_t index);

// The file ends too early, at this byte of its text: what came before is in the result.
void sayEndsEarly(RunResult& result, std::uint64_t byte);

// "2023-11-10T10:32:25Z" from seconds since 1970; empty for what is no such time.
std::string isoTime(double epochSeconds);

} // namespace peakscope
