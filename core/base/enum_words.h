// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The word that stands for a value of an enumeration in documents: the one at its place in wordsOf(value).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace peakscope {

template <typename E>
concept HasWords = std::is_enum_v<E> && requires(E value)
{
    wordsOf(value);
};

template <HasWords E>
std::string_view name(E value)
{
    return wordsOf(value)[static_cast<std::size_t>(value)];
}

// The value that a word stands for, `fallback` where it is none of them.
template <HasWords E>
E valueOf(std::string_view word, E fallback)
{
    const std::vector<std::string>& words = wordsOf(fallback);
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? fallback : static_cast<E>(found - words.begin());
}

} // namespace peakscope
