// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line of a "memory" event, written and read without a JSON document between: a worker sends millions of them.
// Used by event.cpp only.
#pragma once

#include "core/protocol/event.h"

#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

std::string memoryLine(const MemoryEvent& event);

// Reads a line in the very form that memoryLine gives it, with or without a rank before the rest; nothing for any other
// (which may still be a memory event, in another order or with more keys). Component numbers are not checked; `rank`
// stays as it is where the line has none.
std::optional<MemoryEvent> memoryFromLine(std::string_view line, int& rank);

} // namespace peakscope
