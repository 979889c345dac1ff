// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Words of messages: lists of them, numbers of things, and the one that was meant. Pure functions, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace peakscope {

// The known word nearest to `word` by edit distance, where it is near enough to be a slip of the keyboard, else empty.
std::string nearestWord(std::string_view word, std::span<const std::string> known);

// "a, b and c" with `last` before the last one.
std::string joinWords(std::span<const std::string> words, std::string_view last = "and");

// "1 step", "2 steps".
std::string counted(long long number, std::string_view noun);

} // namespace peakscope
