// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a way to save memory does to what was asked for. Plain data; any thread.
#pragma once

#include "core/base/enum_words.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace peakscope {

// In order: what comes later takes more away.
enum class Tier {
    Exact,     // the same up to rounding: recomputation, chunks, accumulation, sharding
    Precision, // the same steps, rounded more coarsely: autocast
    Method     // something else is trained or computed: another optimiser, adapters, shorter rows, fewer entries
};
inline constexpr std::size_t kTierCount = 3;
template <>
inline constexpr std::array<std::string_view, kTierCount> kEnumWords<Tier>{"exact", "precision", "method"};

} // namespace peakscope
