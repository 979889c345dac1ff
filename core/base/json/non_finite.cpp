// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/non_finite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace peakscope {

namespace {

constexpr std::size_t kLongestWord = 40; // nan() may hold digits

constexpr std::array<std::string_view, 3> kInfinities{"inf", "infinity", "1.#inf"};
constexpr std::array<std::string_view, 6> kNoNumbers{"nan", "1.#ind", "1.#nan", "1.#qnan", "1.#snan", "nanq"};

} // namespace

bool isNumberByte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           std::string_view("-+.#()_").find(byte) != std::string_view::npos;
}

std::optional<double> nonFiniteWord(std::string_view word)
{
    const bool negative = word.starts_with('-');
    if (negative || word.starts_with('+'))
        word.remove_prefix(1);
    const bool digit = !word.empty() && word[0] >= '0' && word[0] <= '9';
    if (word.empty() || word.size() > kLongestWord || (digit && !word.starts_with("1.#")))
        return std::nullopt;
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    // The digits behind 1.#INF fill a format's width (1.#INF00).
    std::string_view text = lower;
    if (text.starts_with("1.#"))
        text = text.substr(0, text.find_last_not_of('0') + 1);
    const auto is = [&text](std::string_view each) { return each == text; };
    if (std::any_of(kInfinities.begin(), kInfinities.end(), is))
        return negative ? -INFINITY : INFINITY;
    const bool noNumber = std::any_of(kNoNumbers.begin(), kNoNumbers.end(), is) ||
                          (text.starts_with("nan(") && text.ends_with(')') && text.find('(', 4) == text.npos);
    return noNumber ? std::optional(std::nan("")) : std::nullopt;
}

std::size_t nonFiniteLength(std::string_view text)
{
    std::size_t length = 0;
    while (length < text.size() && length <= kLongestWord && isNumberByte(text[length]))
        ++length;
    return nonFiniteWord(text.substr(0, length)) ? length : 0;
}

} // namespace peakscope
