// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text that may hold anything (a file's content quoted in a message) made fit for one line of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// Control characters become spaces, bytes that are not UTF-8 become '?'.
std::string oneLine(std::string_view text);

// The text with U+FFFD for every byte that is not UTF-8 (RFC 3629), as a JSON document needs it.
std::string asUtf8(std::string_view text);

// The text without what it begins and ends with of `blanks`.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

} // namespace peakscope
