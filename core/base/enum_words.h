// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words that stand for the values of an enumeration in documents and messages. They stand beside it, once, in the
// order of its values:
//     template <> inline constexpr std::array<std::string_view, 2> kEnumWords<Tier>{"exact", "method"};
// Those that are not known to the compiler come from a function wordsOf(E) instead. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace peakscope {

template <typename E>
inline constexpr std::array<std::string_view, 0> kEnumWords{};

template <typename E>
concept HasNames = (!kEnumWords<E>.empty());

template <HasNames E>
const std::vector<std::string>& wordsOf(E)
{
    static const std::vector<std::string> words(kEnumWords<E>.begin(), kEnumWords<E>.end());
    return words;
}

template <typename E>
concept HasWords = std::is_enum_v<E> && requires(E value)
{
    wordsOf(value);
};

// Empty for what is no value of an enumeration that has a list.
template <HasWords E>
constexpr std::string_view name(E value)
{
    const auto index = static_cast<std::size_t>(value);
    if constexpr (HasNames<E>) {
        return index < kEnumWords<E>.size() ? kEnumWords<E>[index] : std::string_view();
    } else {
        return wordsOf(value)[index];
    }
}

// The value that a word stands for; nothing where it is none of them.
template <HasNames E>
std::optional<E> fromName(std::string_view word)
{
    const auto found = std::find(kEnumWords<E>.begin(), kEnumWords<E>.end(), word);
    return found == kEnumWords<E>.end() ? std::nullopt : std::optional(static_cast<E>(found - kEnumWords<E>.begin()));
}

// The same with a `fallback`.
template <HasWords E>
E valueOf(std::string_view word, E fallback)
{
    const std::vector<std::string>& words = wordsOf(fallback);
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? fallback : static_cast<E>(found - words.begin());
}

} // namespace peakscope
