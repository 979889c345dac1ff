// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// fit_program.h: what can be asked for.
#include "core/dry/fit_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostValue = 1'000'000'000'000;
constexpr std::size_t kMostCases = 100;
constexpr std::int64_t kMostDraws = 100;

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Error badAxis(const std::string& text, const char* why)
{
    return badInput("--vary", fmt::format("\"{}\" {}: batch=1..64 is a range, batch=8,16,24 a list", text, why));
}

bool standsIn(const std::vector<std::string>& command, const std::string& name)
{
    return std::any_of(command.begin(), command.end(),
                       [&name](const std::string& word) { return word.find("{" + name + "}") != std::string::npos; });
}

Status checkCards(const FitRequest& request)
{
    std::set<std::string> cards;
    for (const DryDevice& card : request.cards) {
        if (!cards.insert(card.name()).second)
            return badInput("--device", card.name() + " appears twice");
    }
    return Done{};
}

Status checkAxes(const FitRequest& request)
{
    std::set<std::string> names;
    std::size_t cases = request.cards.size();
    for (const FitAxis& axis : request.axes) {
        const bool searched = &axis == &request.axes.front();
        if (!names.insert(axis.name).second)
            return badInput("--vary", axis.name + " appears twice");
        if (!request.variables.contains(axis.name) && !standsIn(request.command, axis.name))
            return badInput(
                "--vary",
                fmt::format(
                    "{{{0}}} is missing in the program's arguments; put it where the value belongs, or add --env {0}",
                    axis.name));
        const auto isNumber = [](const Json& value) { return value.is_number_integer() && value >= 0; };
        if (searched && !std::all_of(axis.values.begin(), axis.values.end(), isNumber))
            return badInput("--vary", axis.name + " is searched, so its values are whole numbers; name what has words "
                                                  "behind it");
        const auto count =
            axis.values.empty() ? static_cast<std::size_t>(axis.last - axis.first + 1) : axis.values.size();
        cases *= searched ? 1 : std::min(count, kMostCases + 1);
        if (cases > kMostCases)
            return badInput("--vary", fmt::format("more than {} searches, one for each card and combination of all "
                                                  "but the first name; give fewer values",
                                                  kMostCases));
    }
    for (const std::string& name : request.variables) {
        if (!names.contains(name))
            return badInput("--env", fmt::format("nothing varies that is called {0}: --vary {0}=1..64", name));
    }
    return Done{};
}

} // namespace

Result<FitAxis> fitAxis(const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return badAxis(text, "has no NAME=");
    FitAxis axis;
    axis.name = text.substr(0, equals);
    const std::string_view values = std::string_view(text).substr(equals + 1);
    if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
        const auto first = wholeNumber(values.substr(0, dots)), last = wholeNumber(values.substr(dots + 2));
        if (!first || !last || *first < 1 || *last < *first || *last > kMostValue)
            return badAxis(text, "is not a rising range of whole numbers from 1");
        axis.first = *first;
        axis.last = *last;
        return axis;
    }
    for (std::size_t begin = 0; begin <= values.size();) {
        const std::size_t end = std::min(values.find(',', begin), values.size());
        const std::string word(values.substr(begin, end - begin));
        const auto number = wholeNumber(word);
        const Json value = number ? Json(*number) : Json(word);
        if (word.empty())
            return badAxis(text, "has an empty value");
        if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end())
            return badAxis(text, "has a value twice");
        axis.values.push_back(value);
        begin = end + 1;
    }
    return axis;
}

Status checkFit(const FitRequest& request)
{
    if (!(request.target > 0 && request.target <= 1))
        return badInput("--target", fmt::format("{} is not a share of a card, above 0 and at most 1", request.target));
    if (request.draws < 1 || request.draws > kMostDraws)
        return badInput("--draws", fmt::format("{} is not a number from 1, the program's own rows alone, to {}",
                                               request.draws, kMostDraws));
    if (const Status checked = checkCards(request); !checked)
        return checked;
    return checkAxes(request);
}

bool drawIsPlaced(const FitRequest& request)
{
    const auto isDraw = [](const FitAxis& axis) { return axis.name == "draw"; };
    return standsIn(request.command, "draw") && std::none_of(request.axes.begin(), request.axes.end(), isDraw);
}

} // namespace peakscope
