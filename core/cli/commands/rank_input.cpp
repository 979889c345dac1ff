// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/rank_input.h"

#include "core/base/json/json_access.h"

#include <set>

namespace peakscope {
namespace {

std::string shown(const nlohmann::json& object, const std::string& key)
{
    if (!object.contains(key))
        return "missing";
    std::string text = dumpJson(object[key]);
    constexpr std::size_t kLongest = 60;
    if (text.size() > kLongest)
        text = text.substr(0, kLongest) + "…";
    return text;
}

std::string differenceAt(const nlohmann::json& here, const nlohmann::json& there, const std::string& path)
{
    std::set<std::string> keys;
    for (const auto& item : here.items())
        keys.insert(item.key());
    for (const auto& item : there.items())
        keys.insert(item.key());
    for (const std::string& key : keys) {
        const bool both = here.contains(key) && there.contains(key);
        if (both && here[key] == there[key])
            continue;
        if (both && here[key].is_object() && there[key].is_object())
            return differenceAt(here[key], there[key], path + key + ".");
        return path + key + " is " + shown(here, key) + " here and " + shown(there, key) + " there";
    }
    return "";
}

} // namespace

std::string wrongRanks(std::int64_t asked, int started)
{
    return "ranks: the experiment has " + std::to_string(asked) + ", but the launcher started " +
           std::to_string(started) + "; give both the same number, or ranks 0 for as many as are started";
}

nlohmann::json nothingToRun()
{
    return {{"nothing_to_run", true}};
}

bool saysNothingToRun(const std::string& line)
{
    return nlohmann::json::parse(line, nullptr, false) == nothingToRun();
}

std::string firstDifference(const nlohmann::json& here, const nlohmann::json& there)
{
    return differenceAt(here, there, "");
}

} // namespace peakscope
