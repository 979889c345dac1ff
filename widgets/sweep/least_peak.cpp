// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/least_peak.h"

#include "core/base/json/json_reader.h"
#include "core/model/dry_device.h"

#include <algorithm>

namespace peakscope {

namespace {

// The budget, or what a card that was acted out has for its allocator; 0 where neither is known.
std::int64_t roomOf(const SweepDocument& sweep, const SweepPoint& point)
{
    const auto valueOf = [&](const char* key) -> const nlohmann::json& {
        return lenient::member(point.values.contains(key) ? point.values : sweep.base, key);
    };
    if (const auto budget = jsonAs<std::int64_t>(valueOf("budget_bytes")); budget && *budget > 0)
        return *budget;
    const nlohmann::json& device = valueOf("device");
    const bool dry = device.is_string() && isDryDevice(device.get_ref<const std::string&>());
    if (!dry || lenient::flag(point.other, "own_limit"))
        return 0;
    const auto card = dryDevice(device.get<std::string>());
    return card ? card->bytes - card->card.contextBytes : 0;
}

} // namespace

std::optional<std::int64_t> leastPeakBytes(const SweepDocument& sweep, const SweepPoint& point)
{
    if (!point.peakBytes || point.state() != SweepCellState::OverBudget)
        return point.peakBytes;
    return std::max({*point.peakBytes, point.neededBytes.value_or(0), roomOf(sweep, point)});
}

} // namespace peakscope
