// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8 (RFC 3629): stepping, checking, repairing, writing. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace peakscope {

// One code point and the bytes it takes. A byte that begins no valid sequence is {U+FFFD, bytes to skip, false}, where
// the bytes are the longest prefix of a sequence that could have become valid (Unicode 15, section 3.9; as Python's
// and Rust's replacing decoders do it).
struct Utf8Step {
    char32_t codePoint = 0xfffd;
    std::size_t bytes = 1;
    bool valid = false;
};

// The sequence at `position`, which must be inside `text`.
Utf8Step utf8At(std::string_view text, std::size_t position);

bool isValidUtf8(std::string_view text);

// `text` with every invalid sequence replaced by U+FFFD; `replaced` (may be null) gets their number.
std::string repairedUtf8(std::string_view text, std::size_t* replaced = nullptr);

// The same with one U+FFFD for each byte that is not UTF-8, so that it is seen how many there were.
std::string asUtf8(std::string_view text);

// `codePoint` is a character: no half of a pair, not above U+10FFFF.
void appendUtf8(std::string& text, char32_t codePoint);

} // namespace peakscope
