// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator/allocator_settings.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace peakscope {

namespace {

constexpr std::int64_t kLeastSplit = 20; // what max_split_size_mb must be above

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// "4", or "[256:1,512:2,>:8]".
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> divisionsOf(std::string_view text)
{
    if (const auto all = wholeNumber(text))
        return std::vector<std::pair<std::int64_t, std::int64_t>>{{1, *all}};
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
        return std::nullopt;
    std::vector<std::pair<std::int64_t, std::int64_t>> divisions;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(','), colon = text.find(':');
        if (colon == std::string_view::npos)
            return std::nullopt;
        const std::string_view size = text.substr(0, colon);
        const auto count =
            wholeNumber(text.substr(colon + 1, comma == std::string_view::npos ? comma : comma - colon - 1));
        const auto from = size == ">" ? std::optional<std::int64_t>(divisions.empty() ? 1 : divisions.back().first * 2)
                                      : wholeNumber(size);
        if (!count || !from)
            return std::nullopt;
        divisions.emplace_back(*from, *count);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return divisions;
}

// The parts of "a:b,c:[d:e,f:g]" between commas that stand in no bracket.
std::vector<std::string> settingsOf(const std::string& text)
{
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else if (c != ' ')
            parts.back() += c;
    }
    return parts;
}

} // namespace

std::string AllocatorSettings::text() const
{
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
    if (expandableSegments)
        add("expandable_segments:True");
    if (maxSplitBytes > 0)
        add(fmt::format("max_split_size_mb:{}", maxSplitBytes >> 20));
    if (!divisions.empty()) {
        std::string list;
        for (const auto& [size, count] : divisions)
            list += fmt::format("{}{}:{}", list.empty() ? "" : ",", size, count);
        add("roundup_power2_divisions:[" + list + "]");
    }
    return text;
}

Result<AllocatorSettings> allocatorSettings(const std::string& text)
{
    AllocatorSettings settings;
    for (const std::string& part : settingsOf(text)) {
        if (part.empty())
            continue;
        const std::size_t colon = part.find(':');
        const std::string key = part.substr(0, colon);
        const std::string value = colon == std::string::npos ? std::string() : part.substr(colon + 1);
        const auto wrong = [&](const char* right) {
            return badInput("--allocator",
                            fmt::format("{} is {}; {}", key, value.empty() ? "empty" : oneLine(value), right));
        };
        if (key == "expandable_segments") {
            if (value != "True" && value != "False")
                return wrong("True or False would do");
            settings.expandableSegments = value == "True";
        } else if (key == "max_split_size_mb") {
            const auto size = wholeNumber(value);
            if (!size || *size <= kLeastSplit)
                return wrong("a whole number above 20 would do");
            settings.maxSplitBytes = *size << 20;
        } else if (key == "roundup_power2_divisions") {
            auto divisions = divisionsOf(value);
            if (!divisions)
                return wrong("a number, or a list such as [256:1,512:2], would do");
            settings.divisions = std::move(*divisions);
        } else {
            return badInput("--allocator", oneLine(key) +
                                               " cannot be replayed exactly; expandable_segments, max_split_size_mb "
                                               "and roundup_power2_divisions can");
        }
    }
    return settings;
}

std::int64_t roundedRequest(std::int64_t bytes, const AllocatorSettings& settings)
{
    if (bytes <= kCudaGranule)
        return kCudaGranule;
    std::int64_t divisions = 0;
    for (const auto& [size, count] : settings.divisions) {
        if ((bytes >> 20) >= size || (divisions == 0 && size <= 1))
            divisions = count;
    }
    if (divisions > 1 && bytes > kCudaGranule * divisions) {
        std::int64_t power = 1;
        while (power * 2 <= bytes)
            power *= 2;
        const std::int64_t step = std::max<std::int64_t>(1, power / divisions);
        return power + wholeUnits(bytes - power, step);
    }
    return wholeUnits(bytes, kCudaGranule);
}

std::int64_t segmentBytes(std::int64_t need)
{
    return need <= kCudaSmallRequest ? kCudaSmallSegment
           : need < kCudaOwnSegment  ? kCudaLargeSegment
                                     : wholeUnits(need, kCudaRoundLarge);
}

bool splitsPiece(std::int64_t need, std::int64_t rest, const AllocatorSettings& settings)
{
    if (need <= kCudaSmallRequest || settings.expandableSegments)
        return rest >= kCudaGranule;
    return (settings.maxSplitBytes == 0 || need < settings.maxSplitBytes) && rest > kCudaSmallRequest;
}

} // namespace peakscope
