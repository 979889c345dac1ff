// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/commands/named_commands.h"

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/experiment/sweep_plan.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace peakscope {
namespace {

using Json = nlohmann::json;

// Every key that names a program or a machine, wherever it stands.
constexpr std::array<std::string_view, 3> kCommandKeys{"launcher", "hosts", "host"};
constexpr const char* kLauncher = "launcher";
constexpr std::size_t kMostMade = std::size_t{32} << 20; // bytes of the launchers that a grid makes

// A key of a grid is a path, which ends at its first '=': any part of it may be one of them.
bool namesCommand(std::string_view key)
{
    for (std::size_t start = 0; start <= key.size();) {
        const std::size_t dot = std::min(key.find_first_of(".=", start), key.size());
        if (std::find(kCommandKeys.begin(), kCommandKeys.end(), key.substr(start, dot - start)) != kCommandKeys.end())
            return true;
        start = dot + 1;
    }
    return false;
}

bool setsLauncher(std::string_view key)
{
    return key == kLauncher || key.starts_with("launcher.");
}

std::string wordText(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> wordsUnder(const Json& value)
{
    std::vector<std::string> words;
    if (!value.is_array()) {
        if (!value.is_null())
            words.push_back(wordText(value));
        return words;
    }
    for (const Json& word : value)
        words.push_back(wordText(word));
    return words;
}

void addCommand(std::vector<NamedCommand>& commands, std::string place, std::vector<std::string> words)
{
    if (!words.empty())
        commands.push_back({std::move(place), std::move(words)});
}

// What stands anywhere else than where this version looks for it: another version may.
void addElsewhere(std::vector<NamedCommand>& commands, const Json& value, const std::string& place,
                  const std::vector<std::string>& known)
{
    if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            addElsewhere(commands, value[i], place + "[" + std::to_string(i) + "]", known);
        return;
    }
    if (!value.is_object())
        return;
    for (const auto& [key, member] : value.items()) {
        const std::string at = place.empty() ? key : place + "." + key;
        if (std::find(known.begin(), known.end(), at) != known.end())
            continue;
        if (namesCommand(key))
            addCommand(commands, at, wordsUnder(member));
        else
            addElsewhere(commands, member, at, known);
    }
}

std::size_t longestOf(const Json& values)
{
    std::size_t longest = 0;
    for (const Json& value : values)
        longest = std::max(longest, wordText(value).size());
    return longest;
}

// What the points' launchers can be: that of the base with every combination of the grid's values for it.
void addPoints(std::vector<NamedCommand>& commands, const Json& sweep, std::vector<std::string>& known)
{
    const Json* base = lenient::findPath(sweep, "base");
    const Json* launcher = base ? lenient::findPath(*base, kLauncher) : nullptr;
    std::vector<Json> made{launcher ? Json{{kLauncher, *launcher}} : Json::object()};
    std::string place = launcher ? "base.launcher" : "";
    const Json* given = lenient::findPath(sweep, "grid");
    const Json grid = given && given->is_object() ? *given : Json::object();
    std::size_t length = launcher ? wordText(*launcher).size() : 0;
    if (launcher)
        known.emplace_back("base.launcher");
    for (const auto& [key, values] : grid.items()) {
        if (!setsLauncher(key) || !values.is_array() || values.empty())
            continue;
        length += longestOf(values);
        // No sweep has so many points, and nobody reads so much: shown as it stands.
        if (values.size() > kMostSweepPoints / made.size() || length > kMostMade / (made.size() * values.size()))
            continue;
        known.push_back("grid." + key);
        place += (place.empty() ? "grid." : ", grid.") + key;
        std::vector<Json> more;
        for (const Json& one : made) {
            for (const Json& value : values) {
                more.push_back(one);
                static_cast<void>(applyAssignment(more.back(), key + "=" + value.dump()));
            }
        }
        made = std::move(more);
    }
    std::set<std::vector<std::string>> seen;
    for (const Json& one : made) {
        std::vector<std::string> words;
        if (one.contains(kLauncher))
            words = wordsUnder(one[kLauncher]);
        if (seen.insert(words).second)
            addCommand(commands, place, std::move(words));
    }
}

template <typename Document>
void removeCommands(Document& value)
{
    if (value.is_array()) {
        for (auto& each : value)
            removeCommands(each);
        return;
    }
    if (!value.is_object())
        return;
    for (auto each = value.begin(); each != value.end();) {
        if (namesCommand(each.key())) {
            each = value.erase(each);
            continue;
        }
        removeCommands(each.value());
        ++each;
    }
}

} // namespace

std::vector<NamedCommand> commandsOfExperiment(const Json& experiment)
{
    std::vector<NamedCommand> commands;
    addElsewhere(commands, experiment, "", {});
    return commands;
}

std::vector<NamedCommand> commandsOfSweep(const Json& sweep)
{
    std::vector<NamedCommand> commands;
    std::vector<std::string> known;
    addPoints(commands, sweep, known);
    addElsewhere(commands, sweep, "", known);
    return commands;
}

Json withoutCommands(Json experiment)
{
    removeCommands(experiment);
    return experiment;
}

nlohmann::ordered_json sweepWithoutCommands(nlohmann::ordered_json sweep)
{
    removeCommands(sweep);
    return sweep;
}

} // namespace peakscope
