// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/pickle_text.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <bit>
#include <charconv>

namespace peakscope {

namespace {

using Kind = PickleNode::Kind;

constexpr std::size_t kLongestNumber = 400; // of digits; more are of no use to anybody

// Of so many hex digits; nothing where they are not there.
std::optional<char32_t> hexCode(std::string_view text, std::size_t from, std::size_t digits)
{
    if (from + digits > text.size())
        return std::nullopt;
    char32_t code = 0;
    for (std::size_t i = from; i < from + digits; ++i) {
        const int digit = hexDigit(text[i]);
        if (digit < 0)
            return std::nullopt;
        code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
}

// Python's raw-unicode-escape: Latin-1 but for \uXXXX and \UXXXXXXXX.
std::string ofRawUnicode(std::string_view line)
{
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool escape = line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'u' || line[i + 1] == 'U');
        const std::size_t digits = escape && line[i + 1] == 'U' ? 8 : 4;
        const auto code = escape ? hexCode(line, i + 2, digits) : std::nullopt;
        const bool right = code && *code < 0x110000 && (*code < 0xD800 || *code >= 0xE000);
        appendUtf8(text, right ? *code : static_cast<char32_t>(static_cast<unsigned char>(line[i])));
        i += right ? digits + 1 : 0;
    }
    return text;
}

// The inside of a quoted string as Python 2 wrote it.
std::string ofQuoted(std::string_view inside)
{
    std::string text;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (inside[i] != '\\' || i + 1 >= inside.size()) {
            text += inside[i];
            continue;
        }
        constexpr std::string_view kFrom = "nrtabfv", kTo = "\n\r\t\a\b\f\v";
        const char c = inside[++i];
        if (const auto code = c == 'x' ? hexCode(inside, i + 1, 2) : std::nullopt) {
            text += static_cast<char>(*code);
            i += 2;
        } else {
            const std::size_t known = kFrom.find(c);
            text += known == std::string_view::npos ? c : kTo[known];
        }
    }
    return asUtf8(text);
}

} // namespace

std::string unescaped(unsigned char opcode, std::string_view inside)
{
    return opcode == 'S' ? ofQuoted(inside) : ofRawUnicode(inside);
}

std::optional<PickleNode> numberOfText(unsigned char opcode, std::string_view words)
{
    if (opcode == 'I' && (words == "00" || words == "01"))
        return PickleNode{Kind::Bool, 0, words == "01" ? 1U : 0U};
    std::string_view digits = words;
    if (opcode == 'L' && digits.ends_with('L'))
        digits.remove_suffix(1);
    const char* end = digits.data() + digits.size();
    if (opcode == 'F') {
        double value = 0;
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ptr == end && read.ec != std::errc::invalid_argument)
            return PickleNode{Kind::Real, 0, std::bit_cast<std::uint64_t>(value)};
    } else {
        std::int64_t value = 0;
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ec == std::errc() && read.ptr == end)
            return PickleNode{Kind::Int, 0, static_cast<std::uint64_t>(value)};
        std::uint64_t wide = 0;
        const auto wider = std::from_chars(digits.data(), end, wide);
        if (wider.ec == std::errc() && wider.ptr == end)
            return PickleNode{Kind::Wide, 0, wide};
        if (read.ec == std::errc::result_out_of_range && read.ptr == end && digits.size() <= kLongestNumber)
            return PickleNode{Kind::Other, 0, 0};
    }
    return std::nullopt;
}

} // namespace peakscope
