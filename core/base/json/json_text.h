// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Appends numbers to JSON text without building a document first: results and event batches hold millions of them.
#pragma once

#include <cmath>
#include <charconv>
#include <cstdint>
#include <string>

namespace peakscope {

inline void appendInteger(std::string& out, std::int64_t value)
{
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

// The shortest text that reads back as the same double; null for what JSON cannot hold.
inline void appendNumber(std::string& out, double value)
{
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

// Times below this are written in whole nanoseconds. From some 2^21 s on a double's own steps are so wide that rounding
// what was read back could give its neighbour.
inline constexpr double kRoundedSeconds = 1e6;

// A time in whole nanoseconds, without trailing zeros ("1.0045"): keeps the order of events in little space.
inline void appendSeconds(std::string& out, double seconds)
{
    if (!(std::abs(seconds) < kRoundedSeconds)) {
        appendNumber(out, seconds);
        return;
    }
    std::int64_t nanoseconds = std::llround(seconds * 1e9);
    if (nanoseconds < 0) {
        out += '-';
        nanoseconds = -nanoseconds;
    }
    appendInteger(out, nanoseconds / 1'000'000'000);
    std::int64_t rest = nanoseconds % 1'000'000'000;
    if (rest == 0) {
        return;
    }
    char digits[10] = {'.'};
    for (int i = 9; i > 0; --i) {
        digits[i] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    int length = 10;
    while (digits[length - 1] == '0') {
        --length;
    }
    out.append(digits, static_cast<std::size_t>(length));
}

// "[a,b,c]"; `append` is one of the functions above.
template <typename Values, typename Append>
void appendArray(std::string& out, const Values& values, Append append)
{
    out += '[';
    bool first = true;
    for (const auto& value : values) {
        if (!first) {
            out += ',';
        }
        first = false;
        append(out, value);
    }
    out += ']';
}

} // namespace peakscope
