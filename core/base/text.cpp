// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

namespace peakscope {
namespace {

// Whether the second byte of a sequence makes it neither too long for what it says, nor half of a pair, nor past the
// last character (RFC 3629, section 4).
bool goesOn(unsigned char first, unsigned char second)
{
    const unsigned char from = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char to = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    return second >= from && second <= to;
}

// Bytes of the UTF-8 sequence at the front of `text`; 0 where there is none.
std::size_t sequenceLength(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (length == 0 || first >= 0xF5 || text.size() < length || !goesOn(first, static_cast<unsigned char>(text[1])))
        return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

} // namespace

std::string oneLine(std::string_view text)
{
    std::string line;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0) {
            line += '?';
            text.remove_prefix(1);
            continue;
        }
        const auto first = static_cast<unsigned char>(text[0]);
        if (first < 0x20 || first == 0x7F)
            line += ' ';
        else
            line += text.substr(0, length);
        text.remove_prefix(length);
    }
    return line;
}

std::string asUtf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string_view trimmed(std::string_view text, std::string_view blanks)
{
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

} // namespace peakscope
