// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/utf8.h"

#include <utf8proc.h>

namespace peakscope {

namespace {

constexpr std::size_t kQuotedBytes = 80;

// Length of the sequence a lead byte announces and the allowed range of its second byte (Unicode 15, table 3-7).
struct Lead {
    std::size_t bytes = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
};

Lead leadOf(unsigned char byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return {2};
    if (byte == 0xe0)
        return {3, 0xa0, 0xbf};
    if (byte == 0xed)
        return {3, 0x80, 0x9f};
    if (byte >= 0xe1 && byte <= 0xef)
        return {3};
    if (byte == 0xf0)
        return {4, 0x90, 0xbf};
    if (byte >= 0xf1 && byte <= 0xf3)
        return {4};
    if (byte == 0xf4)
        return {4, 0x80, 0x8f};
    return {0};
}

} // namespace

Utf8Step utf8At(std::string_view text, std::size_t position)
{
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte < 0x80)
        return {byte, 1, true};
    const Lead lead = leadOf(byte);
    if (lead.bytes == 0)
        return {};
    char32_t codePoint = byte & (0x7fU >> lead.bytes);
    for (std::size_t i = 1; i < lead.bytes; ++i) {
        const auto next = position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0;
        const bool fits = i == 1 ? next >= lead.low && next <= lead.high : next >= 0x80 && next <= 0xbf;
        if (!fits)
            return {0xfffd, i, false};
        codePoint = codePoint << 6 | (next & 0x3fU);
    }
    return {codePoint, lead.bytes, true};
}

bool isValidUtf8(std::string_view text)
{
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        if (!step.valid)
            return false;
        position += step.bytes;
    }
    return true;
}

std::string repairedUtf8(std::string_view text, std::size_t* replaced)
{
    std::string result;
    result.reserve(text.size());
    std::size_t count = 0;
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        if (step.valid) {
            result.append(text, position, step.bytes);
        } else {
            result += "\xef\xbf\xbd";
            ++count;
        }
        position += step.bytes;
    }
    if (replaced)
        *replaced = count;
    return result;
}

void appendUtf8(std::string& text, char32_t codePoint)
{
    utf8proc_uint8_t bytes[4];
    const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

bool isSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool isWordCharacter(char32_t codePoint)
{
    const auto isIn = [&](char32_t first, char32_t last) { return codePoint >= first && codePoint <= last; };
    const bool isEnclosedLetter =
        isIn(0x24b6, 0x24e9) || isIn(0x1f130, 0x1f149) || isIn(0x1f150, 0x1f169) || isIn(0x1f170, 0x1f189);
    if (isEnclosedLetter || isIn(0x200c, 0x200d))
        return true;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(codePoint))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return false;
    }
}

std::string quotedText(std::string_view text)
{
    std::string result = "\"";
    std::size_t position = 0;
    while (position < text.size() && position < kQuotedBytes) {
        const Utf8Step step = utf8At(text, position);
        const bool shown = step.valid && step.codePoint >= 0x20 && (step.codePoint < 0x7f || step.codePoint > 0x9f);
        result += shown ? std::string(text.substr(position, step.bytes)) : "?";
        position += step.bytes;
    }
    if (position < text.size())
        result += "...";
    return result + '"';
}

} // namespace peakscope
