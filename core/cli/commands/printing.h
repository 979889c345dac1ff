// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Formatted lines for the terminal: the pattern is the program's own and may have several lines, texts among the
// arguments come from anywhere and stay on one.
#pragma once

#include "core/base/terminal.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>

namespace peakscope {

template <typename T>
decltype(auto) argumentFor(const T& value)
{
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
        return oneLine(value);
    else
        return (value);
}

template <typename... Args>
using PatternFor = fmt::format_string<decltype(argumentFor(std::declval<const Args&>()))...>;

template <typename... Args>
void print(PatternFor<Args...> pattern, const Args&... args)
{
    standardOutput().text(fmt::format(pattern, argumentFor(args)...));
}

template <typename... Args>
void printError(PatternFor<Args...> pattern, const Args&... args)
{
    standardError().text(fmt::format(pattern, argumentFor(args)...));
}

} // namespace peakscope
