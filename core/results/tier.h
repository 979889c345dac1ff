// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a way to save memory does to what was asked for. Plain data; any thread.
#pragma once

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
std::string_view name(Tier tier); // exact, precision, method
std::optional<Tier> tierFromName(std::string_view text);

} // namespace peakscope
