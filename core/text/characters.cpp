// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/characters.h"

#include "core/base/utf8.h"

#include <utf8proc.h>

namespace peakscope {

namespace {

constexpr std::size_t kQuotedBytes = 80;

} // namespace

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
