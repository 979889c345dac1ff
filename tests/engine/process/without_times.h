// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What of a document two runs have in common.
#pragma once

#include <nlohmann/json.hpp>

namespace peakscope {

// Everything but what a clock measured: members whose names end in "_seconds".
inline nlohmann::json withoutTimes(nlohmann::json value)
{
    for (auto member = value.begin(); value.is_object() && member != value.end();)
        member = member.key().ends_with("_seconds") ? value.erase(member) : std::next(member);
    if (value.is_structured()) {
        for (nlohmann::json& each : value)
            each = withoutTimes(std::move(each));
    }
    return value;
}

} // namespace peakscope
