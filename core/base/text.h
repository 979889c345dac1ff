// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text that may hold anything (a file's content quoted in a message) made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// One line: control characters (C0, C1, line and paragraph separators) become spaces; bytes that are not UTF-8 and
// characters that are not seen but change what is (marks of writing direction, tags, spaces without width) become '?'.
// What scripts and emoji are written with stays: accents, joiners, variation selectors, the tags of a flag.
std::string oneLine(std::string_view text);

// The same for text of several lines: its line breaks (LF, CR LF) and tabs stay.
std::string severalLines(std::string_view text);

// JSON text with all such characters written as \uXXXX, so that it says the same. White space between its parts stays.
std::string escapedJson(std::string json);

// The text without what it begins and ends with of `blanks`.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

std::string lowerCase(std::string_view text); // of ASCII letters

// 0 to 15; -1 where it is no hex digit.
int hexDigit(char c);

} // namespace peakscope
