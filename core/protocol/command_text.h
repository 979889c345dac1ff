// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command as a person reads it before agreeing to it: every word whole and apart from the next, nothing in it that
// hides or moves what stands beside it. For the window and for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// The words in one line. A word of other than letters, digits and _@%+=:,./~^- stands in double quotes, in which a
// quote and a backslash have one before them; characters without a picture (control, direction, joiners, unusual
// blanks) are written as C++ writes them: \n, \t, \u{202e}, and bytes that are not UTF-8 \xff. Two commands that differ
// have lines that differ.
std::string commandText(const std::vector<std::string>& words);

// One piece of text, such as a file's name, with such characters written out the same way, without quotes.
std::string visibleText(std::string_view text);

} // namespace peakscope
