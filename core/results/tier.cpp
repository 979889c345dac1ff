// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/tier.h"

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

constexpr std::array<std::string_view, kTierCount> kTierNames{"exact", "precision", "method"};

} // namespace

std::string_view name(Tier tier)
{
    return kTierNames[static_cast<std::size_t>(tier)];
}

std::optional<Tier> tierFromName(std::string_view text)
{
    const auto found = std::find(kTierNames.begin(), kTierNames.end(), text);
    return found == kTierNames.end() ? std::nullopt : std::optional(static_cast<Tier>(found - kTierNames.begin()));
}

} // namespace peakscope
