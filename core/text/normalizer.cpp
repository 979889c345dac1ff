// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizer.h"

#include "core/base/utf8.h"
#include "core/text/bpe_model.h"
#include "core/text/character_tables.h"
#include "core/text/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

namespace peakscope {

namespace {

utf8proc_option_t optionsOf(NormalForm form)
{
    switch (form) {
    case NormalForm::Nfc:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    case NormalForm::Nfd:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    case NormalForm::Nfkc:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    case NormalForm::Nfkd:
        return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
    }
    return UTF8PROC_STABLE;
}

void appendNormalForm(std::string_view text, NormalForm form, std::string& result)
{
    utf8proc_uint8_t* made = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &made, optionsOf(form));
    if (length < 0) { // out of memory: the text is valid
        result += text;
        return;
    }
    result.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(length));
    std::free(made);
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void apply(NormalForm form, std::string& text, bool&)
{
    if (isAscii(text))
        return;
    std::string result;
    std::size_t begin = 0;
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        if (hasLaterForm(step.codePoint)) {
            appendNormalForm(std::string_view(text).substr(begin, position - begin), form, result);
            result.append(text, position, step.bytes);
            begin = position + step.bytes;
        }
        position += step.bytes;
    }
    appendNormalForm(std::string_view(text).substr(begin), form, result);
    text = std::move(result);
}

void apply(const PrependStep& step, std::string& text, bool&)
{
    if (!text.empty())
        text = step.text + text;
}

void apply(const ReplaceStep& step, std::string& text, bool& beginsText)
{
    // What replaces several characters counts as the last of them.
    if (text.starts_with(step.from) && (step.to.empty() || utf8At(step.from, 0).bytes < step.from.size()))
        beginsText = false;
    text = replacedText(text, step.from, step.to);
}

void apply(const ReplacePatternStep& step, std::string& text, bool& beginsText)
{
    const std::size_t first = step.pattern.matchAtBegin(text);
    if (first > 0 && (step.to.empty() || utf8At(text, 0).bytes < first))
        beginsText = false;
    text = step.pattern.replaced(text, step.to);
}

void apply(const StripStep& step, std::string& text, bool& beginsText)
{
    if (step.right)
        text.resize(spaceBefore(text, text.size()));
    const std::size_t begin = step.left ? spaceBehind(text, 0) : 0;
    beginsText = beginsText && begin == 0;
    text.erase(0, begin);
}

void apply(const CharactersStep& step, std::string& text, bool& beginsText)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step character = utf8At(text, position);
        step.append(character.codePoint, result);
        position += character.bytes;
        beginsText = beginsText && !result.empty();
    }
    text = std::move(result);
}

} // namespace

std::string replacedText(std::string_view text, std::string_view from, std::string_view to)
{
    std::string result;
    result.reserve(text.size());
    std::size_t position = 0;
    for (std::size_t found = text.find(from); found != std::string_view::npos; found = text.find(from, position)) {
        result += text.substr(position, found - position);
        result += to;
        position = found + from.size();
    }
    result += text.substr(position);
    return result;
}

std::string Normalizer::apply(std::string_view text, bool* beginsText) const
{
    std::string result(text);
    bool begins = true;
    for (const NormalizerStep& step : m_steps)
        std::visit([&](const auto& kind) { peakscope::apply(kind, result, begins); }, step);
    if (beginsText)
        *beginsText = *beginsText && begins;
    return result;
}

namespace characters {

void lowercase(char32_t codePoint, std::string& text)
{
    appendLowerCase(codePoint, text);
}

void stripAccents(char32_t codePoint, std::string& text)
{
    if (!isMark(codePoint))
        appendUtf8(text, codePoint);
}

void nmt(char32_t c, std::string& text)
{
    const bool isGone =
        (c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
    const bool isBlank = c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 ||
                         (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff ||
                         c == 0xfffd;
    if (!isGone)
        appendUtf8(text, isBlank ? U' ' : c);
}

void bytes(char32_t codePoint, std::string& text)
{
    std::string one;
    appendUtf8(one, codePoint);
    text += byteCharacters(one);
}

void bertClean(char32_t c, std::string& text)
{
    if (c == '\t' || c == '\n' || c == '\r')
        text += ' ';
    else if (c != 0xfffd && !isControl(c))
        appendUtf8(text, isSpace(c) ? U' ' : c);
}

void bertSpaceIdeographs(char32_t codePoint, std::string& text)
{
    const bool isIdeograph = isCjkIdeograph(codePoint);
    if (isIdeograph)
        text += ' ';
    appendUtf8(text, codePoint);
    if (isIdeograph)
        text += ' ';
}

void bertStripAccents(char32_t codePoint, std::string& text)
{
    if (!isNonspacingMark(codePoint))
        appendUtf8(text, codePoint);
}

} // namespace characters

} // namespace peakscope
