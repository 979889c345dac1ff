// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/fit_section.h"

#include "core/base/json/json_access.h"

#include <algorithm>

namespace peakscope {

namespace {

// The first key with a number that is none of the fixed ones.
std::string variedKey(const nlohmann::json& values, const nlohmann::json& fixed)
{
    for (const auto& [key, value] : values.items()) {
        if (value.is_number() && !(fixed.is_object() && fixed.contains(key)))
            return key;
    }
    return "";
}

FitSection::Search searchOf(const nlohmann::json& found, std::string& varied)
{
    const std::string device = lenient::text(found, "device");
    FitSection::Search search{device.substr(device.find(':') + 1), lenient::member(found, "fixed")};
    for (const nlohmann::json& point : lenient::array(found, "points")) {
        const nlohmann::json& values = lenient::object(point, "values");
        if (varied.empty())
            varied = variedKey(values, search.fixed);
        if (const nlohmann::json& value = lenient::member(values, varied); value.is_number())
            search.points.push_back({value.get<double>(), lenient::integer(point, "reserved_bytes"),
                                     lenient::text(point, "verdict") != "does_not_fit"});
    }
    std::ranges::sort(search.points, {}, &FitSection::Point::value);
    if (const nlohmann::json& largest = lenient::member(lenient::object(found, "largest"), varied); largest.is_number())
        search.largest = largest.get<double>();
    search.atEndOfRange = lenient::flag(found, "at_end_of_range");
    search.command = lenient::text(found, "command");
    search.further = lenient::text(found, "further");
    return search;
}

} // namespace

std::optional<FitSection> fitSectionOf(const RunResult& result)
{
    FitSection section;
    for (const nlohmann::json& found : lenient::array(lenient::object(result.other, "fit"), "cards"))
        section.searches.push_back(searchOf(found, section.varied));
    if (const double target = lenient::number(lenient::member(result.other, "fit"), "target"); target > 0 && target <= 1)
        section.target = target;
    return section.varied.empty() ? std::nullopt : std::optional(std::move(section));
}

} // namespace peakscope
