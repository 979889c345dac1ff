// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and strings as protocols 0 and 1 of pickle write them: a line of text each (Python's pickletools). Used by
// PickleRows; any thread.
#pragma once

#include "core/snapshots/pickle_rows.h"

#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

// Of the line after I, L or F; nothing where it is no number.
std::optional<PickleNode> numberOfText(unsigned char opcode, std::string_view words);

// What stands between the quotes of S, as Python 2 escaped it, or in the line after V (raw-unicode-escape), as UTF-8.
std::string unescaped(unsigned char opcode, std::string_view inside);

} // namespace peakscope
