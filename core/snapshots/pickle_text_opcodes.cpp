// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What protocols 0 and 1 write as lines of text, and the calls by which protocols below 3 write bytes.
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/snapshots/pickle_rows.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace peakscope {

namespace {

constexpr std::size_t kLongestNumber = 400; // of digits; more are of no use to anybody

int hexDigit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

std::string quoted(std::string_view words)
{
    constexpr std::size_t kLongest = 40;
    return fmt::format("\"{}{}\"", oneLine(words.substr(0, kLongest)), words.size() > kLongest ? "..." : "");
}

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

// The line that comes next, which is taken; false where it has no end.
bool PickleRows::line(std::string_view& line)
{
    const std::size_t end = m_bytes.find('\n', m_position);
    if (end == std::string_view::npos)
        return false;
    line = m_bytes.substr(m_position, end - m_position);
    m_position = end + 1;
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return true;
}

PickleRows::Step PickleRows::pushMade(std::string text)
{
    if (text.size() > UINT32_MAX)
        return fail("a text of more than 4 GiB");
    const auto length = static_cast<std::uint32_t>(text.size());
    m_made.push_back(std::move(text));
    return push({Kind::Text, length, kMadeText + m_made.size() - 1});
}

PickleRows::Step PickleRows::asText(unsigned char opcode)
{
    std::string_view words;
    if (!line(words))
        return endsEarly();
    if (opcode == 'S' || opcode == 'V')
        return textString(opcode, words);
    if (opcode != 'p' && opcode != 'g')
        return textNumber(opcode, words);
    std::uint64_t place = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), place);
    if (error != std::errc() || end != words.data() + words.size())
        return fail(quoted(words) + " is no place to remember");
    return opcode == 'p' ? put(place) : get(place);
}

PickleRows::Step PickleRows::textNumber(unsigned char opcode, std::string_view words)
{
    if (opcode == 'I' && (words == "00" || words == "01"))
        return push({Kind::Bool, 0, words == "01" ? 1U : 0U});
    std::string_view digits = words;
    if (opcode == 'L' && digits.ends_with('L'))
        digits.remove_suffix(1);
    const char* end = digits.data() + digits.size();
    if (opcode == 'F') {
        double value = 0;
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ptr == end && read.ec != std::errc::invalid_argument)
            return push({Kind::Real, 0, std::bit_cast<std::uint64_t>(value)});
    } else {
        std::int64_t value = 0;
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ec == std::errc() && read.ptr == end)
            return push({Kind::Int, 0, static_cast<std::uint64_t>(value)});
        std::uint64_t wide = 0;
        const auto wider = std::from_chars(digits.data(), end, wide);
        if (wider.ec == std::errc() && wider.ptr == end)
            return push({Kind::Wide, 0, wide});
        if (read.ec == std::errc::result_out_of_range && read.ptr == end && digits.size() <= kLongestNumber)
            return push({Kind::Other, 0, 0});
    }
    return fail(quoted(words) + " is no number");
}

// Where nothing of it is written otherwise it stays where it stands in the file.
PickleRows::Step PickleRows::textString(unsigned char opcode, std::string_view words)
{
    const auto place = static_cast<std::uint64_t>(words.data() - m_bytes.data());
    std::string_view inside = words;
    if (opcode == 'S') {
        const bool closed =
            words.size() >= 2 && (words.front() == '\'' || words.front() == '"') && words.back() == words.front();
        if (!closed)
            return fail(quoted(words) + " is no string in quotes");
        inside = words.substr(1, words.size() - 2);
    }
    bool plain = true;
    for (const char c : inside)
        plain &= c != '\\' && static_cast<unsigned char>(c) < 0x80;
    if (!plain)
        return pushMade(opcode == 'S' ? ofQuoted(inside) : ofRawUnicode(inside));
    if (inside.size() > UINT32_MAX)
        return fail("a text of more than 4 GiB");
    return push({Kind::Text, static_cast<std::uint32_t>(inside.size()), place + (opcode == 'S' ? 1 : 0)});
}

bool PickleRows::isMaker(std::string_view module, std::string_view name)
{
    const bool builtin = module == "__builtin__" || module == "builtins";
    return (module == "_codecs" && name == "encode") ||
           (builtin && (name == "bytes" || name == "bytearray" || name == "set" || name == "frozenset"));
}

PickleRows::Step PickleRows::maker()
{
    const std::size_t before = m_position;
    std::string_view module, name;
    if (!line(module) || !line(name)) {
        m_position = before;
        return endsEarly();
    }
    if (isMaker(module, name))
        return push({Kind::Other, 0, kMaker});
    m_position = before;
    return fail(objectText('c'));
}

} // namespace peakscope
