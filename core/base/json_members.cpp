// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_members.h"

#include <limits>

namespace peakscope::lenient {

using nlohmann::json;

const json* find(const json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& member(const json& object, const char* key)
{
    static const json kNothing;
    const json* found = find(object, key);
    return found ? *found : kNothing;
}

double number(const json& object, const char* key)
{
    const json& value = member(object, key);
    return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::int64_t count(const json& object, const char* key)
{
    const double value = number(object, key);
    return value > 0 && value < 9e18 ? static_cast<std::int64_t>(value) : 0;
}

std::int64_t integer(const json& object, const char* key, std::int64_t otherwise)
{
    const json& value = member(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

std::string text(const json& object, const char* key)
{
    const json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::vector<double> numbers(const json& array)
{
    std::vector<double> values;
    if (!array.is_array())
        return values;
    values.reserve(array.size());
    for (const json& value : array)
        values.push_back(value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
    return values;
}

} // namespace peakscope::lenient
