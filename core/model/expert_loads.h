// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How many tokens each expert of a mixture is given. No LibTorch; any thread.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace peakscope {

using ExpertLoads = std::vector<std::int64_t>;

// How a plan or a dry run takes them: alike, or all tokens with the same experts, which is the most that one can be
// given.
enum class ExpertRouting { Even, Skewed };
template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<ExpertRouting>{"even", "skewed"};

// So many pairs of a token and an expert, spread evenly.
inline ExpertLoads evenLoads(std::int64_t pairs, std::int64_t experts)
{
    ExpertLoads loads(static_cast<std::size_t>(experts), pairs / experts);
    for (std::int64_t i = 0; i < pairs % experts; ++i)
        ++loads[static_cast<std::size_t>(i)];
    return loads;
}

inline ExpertLoads plannedLoads(ExpertRouting routing, std::int64_t tokens, std::int64_t perToken, std::int64_t experts)
{
    if (routing == ExpertRouting::Even)
        return evenLoads(tokens * perToken, experts);
    ExpertLoads loads(static_cast<std::size_t>(experts), 0);
    for (std::int64_t i = 0; i < perToken; ++i)
        loads[static_cast<std::size_t>(i)] = tokens;
    return loads;
}

} // namespace peakscope
