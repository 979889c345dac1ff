// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/unit_class.h"

namespace peakscope {

std::string_view name(UnitClass unitClass)
{
    constexpr std::array<std::string_view, 3> kNames = {"Wfunc", "Wsens", "Wboth"};
    return kNames[static_cast<std::size_t>(unitClass)];
}

std::optional<UnitClass> unitClassFromName(std::string_view text)
{
    for (const UnitClass unitClass : kUnitClasses) {
        if (name(unitClass) == text)
            return unitClass;
    }
    return std::nullopt;
}

std::string_view name(PartitionRule rule)
{
    return rule == PartitionRule::Absolute ? "absolute" : "quantile";
}

} // namespace peakscope
