// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/characters.h"

#include "core/base/utf8.h"
#include "core/text/character_tables.h"

#include <utf8proc.h>

#include <cctype>

namespace peakscope {

namespace {

constexpr std::size_t kQuotedBytes = 80;

utf8proc_category_t categoryOf(char32_t codePoint)
{
    return utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
}

} // namespace

bool isSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

std::size_t stepBack(std::string_view text, std::size_t position)
{
    do {
        --position;
    } while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xc0) == 0x80);
    return position;
}

std::size_t spaceBefore(std::string_view text, std::size_t position)
{
    while (position > 0) {
        const std::size_t previous = stepBack(text, position);
        if (!isSpace(utf8At(text, previous).codePoint))
            break;
        position = previous;
    }
    return position;
}

std::size_t spaceBehind(std::string_view text, std::size_t position)
{
    while (position < text.size()) {
        const Utf8Step step = utf8At(text, position);
        if (!isSpace(step.codePoint))
            break;
        position += step.bytes;
    }
    return position;
}

bool isWordCharacter(char32_t codePoint)
{
    const auto isIn = [&](char32_t first, char32_t last) { return codePoint >= first && codePoint <= last; };
    const bool isEnclosedLetter =
        isIn(0x24b6, 0x24e9) || isIn(0x1f130, 0x1f149) || isIn(0x1f150, 0x1f169) || isIn(0x1f170, 0x1f189);
    if (isEnclosedLetter || isIn(0x200c, 0x200d))
        return true;
    switch (categoryOf(codePoint)) {
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
        return isNewestWordCharacter(codePoint);
    }
}

bool isPunctuation(char32_t codePoint)
{
    if (codePoint < 0x80)
        return codePoint > 0x20 && codePoint < 0x7f && !std::isalnum(static_cast<int>(codePoint));
    if (codePoint == 0x166d || codePoint == 0x111c9) // was one, and is a symbol and a mark since
        return true;
    switch (categoryOf(codePoint)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
        return !hasLaterCategory(codePoint);
    default:
        return false;
    }
}

bool isNumber(char32_t codePoint)
{
    const utf8proc_category_t category = categoryOf(codePoint);
    return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_NO ||
           isNewestNumber(codePoint);
}

bool isMark(char32_t codePoint)
{
    if (codePoint == 0x1cf2 || codePoint == 0x1cf3) // letters since
        return true;
    const utf8proc_category_t category = categoryOf(codePoint);
    const bool isOne =
        category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
    return isOne && !isLaterMark(codePoint);
}

bool isNonspacingMark(char32_t codePoint)
{
    if (codePoint == 0x1734) // a spacing one since
        return true;
    return categoryOf(codePoint) == UTF8PROC_CATEGORY_MN && !hasLaterCategory(codePoint);
}

bool isControl(char32_t codePoint)
{
    const utf8proc_category_t category = categoryOf(codePoint);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CO ||
           (category == UTF8PROC_CATEGORY_CF && !hasLaterCategory(codePoint));
}

// The blocks of BERT's own tokeniser; the gap behind 0x2b81f is in tokenizers, too.
bool isCjkIdeograph(char32_t c)
{
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x2f800 && c <= 0x2fa1f);
}

void appendLowerCase(char32_t codePoint, std::string& text)
{
    if (codePoint == 0x130) { // I with a dot: the one letter with two for its small one
        text += "i\u0307";
        return;
    }
    const auto lower = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(codePoint)));
    appendUtf8(text, lower == codePoint ? newestLowerCase(codePoint) : lower);
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
