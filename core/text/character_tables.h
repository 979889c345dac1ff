// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where Hugging Face's tokenizers and utf8proc go by different versions of Unicode: the crates behind tokenizers have
// categories of Unicode 8, normal forms of Unicode 9, and Rust's own tables, which are newer than utf8proc's. Used by
// characters.cpp and the normaliser; pure functions, any thread.
#pragma once

namespace peakscope {

// Its category as punctuation, non-spacing mark or format character came after the version that tokenizers knows.
bool hasLaterCategory(char32_t codePoint);
// The same for a mark, of which StripAccents knows more.
bool isLaterMark(char32_t codePoint);
// The same for normal forms: to tokenizers it neither decomposes nor composes, nor does it change places.
bool hasLaterForm(char32_t codePoint);

// Word characters and numbers that are newer than utf8proc's tables, and the small letter of a newer capital, else the
// code point itself.
bool isNewestWordCharacter(char32_t codePoint);
bool isNewestNumber(char32_t codePoint);
char32_t newestLowerCase(char32_t codePoint);

} // namespace peakscope
