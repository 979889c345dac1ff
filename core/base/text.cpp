// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace peakscope {
namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF; // a byte that is not UTF-8

// The character at the front of `text`, and its bytes.
char32_t characterAt(std::string_view text, std::size_t& length)
{
    const Utf8Step step = utf8At(text, 0);
    length = step.valid ? step.bytes : 1;
    return step.valid ? step.codePoint : kInvalid;
}

bool isBetween(char32_t character, char32_t first, char32_t last)
{
    return character >= first && character <= last;
}

// C0, DEL, C1, line and paragraph separators.
bool isControl(char32_t c)
{
    return c < 0x20 || isBetween(c, 0x7F, 0x9F) || c == 0x2028 || c == 0x2029;
}

bool isTag(char32_t c)
{
    return isBetween(c, 0xE0000, 0xE007F);
}

// Not seen where it stands, though it may change how all around it looks. Joiners and tags only where they join
// nothing.
bool isHidden(char32_t c)
{
    return c == kInvalid || c == 0x061C || c == 0x180E || isBetween(c, 0x200B, 0x200F) ||
           isBetween(c, 0x202A, 0x202E) || isBetween(c, 0x2060, 0x206F) || c == 0xFEFF ||
           isBetween(c, 0xFFF9, 0xFFFB) || isBetween(c, 0x1BCA0, 0x1BCA3) || isBetween(c, 0x1D173, 0x1D17A) ||
           isTag(c) || isBetween(c, 0xFDD0, 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

bool isEmoji(char32_t c)
{
    return isBetween(c, 0x2190, 0x2BFF) || c == 0x200D || c == 0xFE0F || isBetween(c, 0x1F000, 0x1FAFF);
}

// Scripts that write with U+200C and U+200D: from Hebrew and Arabic to Mongolian, and those of India.
bool isJoiningScript(char32_t c)
{
    return isBetween(c, 0x0590, 0x1CFF) || isBetween(c, 0xA800, 0xABFF) || isBetween(c, 0xFB1D, 0xFDFF) ||
           isBetween(c, 0xFE70, 0xFEFC) || isBetween(c, 0x10A00, 0x11FFF) || isBetween(c, 0x1E900, 0x1E95F);
}

// Scripts whose words are parted by U+200B: Thai, Lao, Tibetan, Burmese, Khmer.
bool isUnspacedScript(char32_t c)
{
    return isBetween(c, 0x0E00, 0x0FFF) || isBetween(c, 0x1000, 0x109F) || isBetween(c, 0x1780, 0x17FF) ||
           isBetween(c, 0x1950, 0x1AAF);
}

// Bytes of the tags that make a flag's region, U+E007F included, at the front of `text`; 0 where there is no such flag.
std::size_t flagTags(std::string_view text)
{
    std::size_t bytes = 0, length = 0;
    for (int tags = 0; bytes < text.size() && tags <= 6; ++tags) {
        const char32_t tag = characterAt(text.substr(bytes), length);
        bytes += length;
        if (tag == 0xE007F)
            return tags >= 3 ? bytes : 0;
        if (!isBetween(tag, 0xE0030, 0xE0039) && !isBetween(tag, 0xE0061, 0xE007A))
            return 0;
    }
    return 0;
}

// Goes through a text character by character.
class Reader
{
public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    bool atEnd() const { return m_rest.empty(); }
    char32_t character() const { return m_character; }
    std::string_view bytes() const { return m_bytes; }
    bool precedesLineFeed() const { return m_rest.starts_with('\n'); }

    // To the next character, or to the next flag; whether it may be shown as it is.
    bool next()
    {
        const char32_t before = m_character;
        std::size_t length = 0;
        m_character = characterAt(m_rest, length);
        if (m_character == 0x1F3F4)
            length += flagTags(m_rest.substr(length));
        m_bytes = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        if (isControl(m_character))
            return false;
        return !isHidden(m_character) || joins(before);
    }

private:
    bool joins(char32_t before) const
    {
        std::size_t length = 0;
        const char32_t after = m_rest.empty() ? 0 : characterAt(m_rest, length);
        if (m_character == 0x200B)
            return isUnspacedScript(before);
        if (m_character == 0x200D && isEmoji(before) && before != 0x200D)
            return isEmoji(after) && after != 0x200D;
        return (m_character == 0x200C || m_character == 0x200D) && isJoiningScript(before);
    }

    std::string_view m_rest, m_bytes;
    char32_t m_character = 0;
};

// Most text is plain ASCII, and there is much of it.
bool isPlain(std::string_view text)
{
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E)
            return false;
    }
    return true;
}

std::string shownText(std::string_view text, bool keepsLines)
{
    if (isPlain(text))
        return std::string(text);
    std::string out;
    out.reserve(text.size());
    for (Reader reader(text); !reader.atEnd();) {
        const bool fine = reader.next();
        const char32_t c = reader.character();
        const bool lineBreak = c == '\n' || (c == '\r' && reader.precedesLineFeed());
        if (fine || (keepsLines && (lineBreak || c == '\t')))
            out += reader.bytes();
        else
            out += isControl(c) ? ' ' : '?';
    }
    return out;
}

void appendEscape(std::string& out, char32_t c)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (c > 0xFFFF) {
        appendEscape(out, 0xD800 + ((c - 0x10000) >> 10));
        c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += kDigits[(c >> shift) & 0xF];
}

} // namespace

std::string oneLine(std::string_view text)
{
    return shownText(text, false);
}

std::string severalLines(std::string_view text)
{
    return shownText(text, true);
}

std::string escapedJson(std::string json)
{
    const auto isHarmless = [](char c) { // in JSON C0 is escaped already, but for white space between its parts
        return static_cast<unsigned char>(c) < 0x7F && static_cast<unsigned char>(c) != 0x1B && c != '\r';
    };
    if (std::all_of(json.begin(), json.end(), isHarmless))
        return json;
    std::string out;
    out.reserve(json.size() + 32);
    for (Reader reader(json); !reader.atEnd();) {
        const bool fine = reader.next();
        const char32_t c = reader.character();
        if (fine || c == '\n' || c == '\t')
            out += reader.bytes();
        else if (c == '\r')
            out += ' ';
        else
            appendEscape(out, c == kInvalid ? 0xFFFD : c);
    }
    return out;
}

std::string_view trimmed(std::string_view text, std::string_view blanks)
{
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

int hexDigit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

} // namespace peakscope
