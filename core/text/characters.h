// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The character classes that tokenisers ask for, and tokens quoted in messages. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// Unicode White_Space.
bool isSpace(char32_t codePoint);
// Where the white space begins that ends before `position` of valid UTF-8, and where that ends which begins there.
std::size_t spaceBefore(std::string_view text, std::size_t position);
std::size_t spaceBehind(std::string_view text, std::size_t position);
// Where the code point begins that ends before `position` (above 0) of valid UTF-8.
std::size_t stepBack(std::string_view text, std::size_t position);
// Letters, marks, decimal numbers, connecting punctuation and joiners: \w of Unicode's regular expressions (UTS 18).
bool isWordCharacter(char32_t codePoint);

// What Hugging Face's tokenizers takes for these, with the versions of Unicode that it goes by (character_tables.h).
bool isPunctuation(char32_t codePoint); // of Unicode, and ASCII's symbols
bool isNumber(char32_t codePoint);
bool isMark(char32_t codePoint);
bool isNonspacingMark(char32_t codePoint);
bool isControl(char32_t codePoint); // control, format and private characters
bool isCjkIdeograph(char32_t codePoint);
// Each letter by itself, whatever stands around it; may be two code points.
void appendLowerCase(char32_t codePoint, std::string& text);

// `text` in double quotes for a one-line message: at most 80 bytes, control characters and invalid bytes as '?'.
std::string quotedText(std::string_view text);

} // namespace peakscope
