// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The character classes that tokenisers ask for, and tokens quoted in messages. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// Unicode White_Space.
bool isSpace(char32_t codePoint);
// Letters, marks, decimal numbers, connecting punctuation and joiners: \w of Unicode's regular expressions (UTS 18).
bool isWordCharacter(char32_t codePoint);

// `text` in double quotes for a one-line message: at most 80 bytes, control characters and invalid bytes as '?'.
std::string quotedText(std::string_view text);

} // namespace peakscope
