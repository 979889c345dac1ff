// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace peakscope {

namespace {

// Three significant digits for values from 1 to below 1000, none behind the point above.
int decimalsFor(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

std::string threeDigits(double value, std::string_view unit)
{
    return fmt::format("{:.{}f} {}", value, decimalsFor(value), unit);
}

std::string twoUnits(std::int64_t small, std::int64_t ratio, std::string_view bigUnit, std::string_view smallUnit)
{
    return fmt::format("{} {} {:02} {}", small / ratio, bigUnit, small % ratio, smallUnit);
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

// 0 for a unit that is none.
std::int64_t unitFactor(std::string_view unit)
{
    static constexpr std::array<std::pair<std::string_view, std::int64_t>, 14> kUnits{{
        {"", 1},
        {"b", 1},
        {"kb", 1000},
        {"mb", 1000'000},
        {"gb", 1000'000'000},
        {"tb", 1000'000'000'000},
        {"kib", 1LL << 10},
        {"mib", 1LL << 20},
        {"gib", 1LL << 30},
        {"tib", 1LL << 40},
        {"k", 1LL << 10},
        {"m", 1LL << 20},
        {"g", 1LL << 30},
        {"t", 1LL << 40},
    }};
    const std::string wanted = lowered(unit);
    for (const auto& [name, factor] : kUnits) {
        if (name == wanted) {
            return factor;
        }
    }
    return 0;
}

} // namespace

std::string formatBytes(std::int64_t bytes)
{
    if (bytes > -1024 && bytes < 1024) {
        return fmt::format("{} B", bytes);
    }
    double value = std::abs(static_cast<double>(bytes)) / 1024;
    std::size_t unit = 0;
    static constexpr std::array<const char*, 6> kNames{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    // What would be printed as 1024 is one of the next unit.
    while (value >= 1023.5 && unit + 1 < kNames.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{}{}", bytes < 0 ? "-" : "", threeDigits(value, kNames[unit]));
}

std::string formatSeconds(double seconds)
{
    if (!std::isfinite(seconds)) {
        return "–";
    }
    if (seconds < 0) {
        return fmt::format("-{}", formatSeconds(-seconds));
    }
    if (seconds < 0.5e-9) {
        return "0 s";
    }
    if (seconds < 0.9995e-6) {
        return fmt::format("{:.0f} ns", seconds * 1e9);
    }
    if (seconds < 0.9995e-3) {
        return threeDigits(seconds * 1e6, "µs");
    }
    if (seconds < 0.9995) {
        return threeDigits(seconds * 1e3, "ms");
    }
    if (seconds < 59.95) {
        return threeDigits(seconds, "s");
    }
    if (seconds < 3599.5) {
        return twoUnits(std::llround(seconds), 60, "min", "s");
    }
    if (seconds < 86370) {
        return twoUnits(std::llround(seconds / 60), 60, "h", "min");
    }
    return seconds < 1e15 ? twoUnits(std::llround(seconds / 3600), 24, "d", "h") : fmt::format("{:.3g} s", seconds);
}

Result<std::int64_t> parseBytes(std::string_view text)
{
    const std::string_view input = trimmed(text, " \t");
    const std::string shown = fmt::format("\"{}\"", text.substr(0, 60));
    const auto wrong = [&] { return badInput("", shown + " is not a size; write for example 80GiB, 512MiB or 1.5e9"); };

    double number = 0;
    const auto parsed = std::from_chars(input.data(), input.data() + input.size(), number);
    if (parsed.ec != std::errc{} || !std::isfinite(number)) {
        return wrong();
    }
    const std::string_view rest(parsed.ptr, static_cast<std::size_t>(input.data() + input.size() - parsed.ptr));
    const std::int64_t factor = unitFactor(trimmed(rest, " \t"));
    if (factor == 0) {
        return wrong();
    }
    if (number < 0) {
        return badInput("", shown + " is negative; a size is 0 or more bytes");
    }
    // Whole numbers without a unit stay exact above 2^53.
    std::int64_t whole = 0;
    const auto integer = std::from_chars(input.data(), parsed.ptr, whole);
    if (integer.ec == std::errc{} && integer.ptr == parsed.ptr && factor == 1) {
        return whole;
    }
    const double bytes = number * static_cast<double>(factor);
    if (bytes >= 9.2e18) {
        return badInput("", shown + " is more than a size can be");
    }
    return static_cast<std::int64_t>(std::llround(bytes));
}

} // namespace peakscope
