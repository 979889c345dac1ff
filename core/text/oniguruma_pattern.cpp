// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Oniguruma's Ruby syntax (its doc/RE) as PCRE2's. The two agree on nearly all that tokenisers use; they differ in what
// \s, \w, \h and \v mean, in nested classes and in possessive intervals.
#include "core/text/regex_splitter.h"

#include "core/base/utf8.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#include <cctype>

namespace peakscope {

namespace {

// White_Space without brackets; PCRE2's own \s has U+180E too.
constexpr std::string_view kSpace =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
// Alphabetic, marks, decimal numbers, connecting punctuation; the ranges are the enclosed letters, which are symbols.
constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149})"
                                   R"(\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
// A \w that is not in a class has these numbers too (it is looked up in Latin-1's own table first).
constexpr std::string_view kLatinWord = R"(\xb2\xb3\xb9\xbc-\xbe)";
constexpr std::string_view kHexDigit = "0-9A-Fa-f";
// Escapes that mean the same to both.
constexpr std::string_view kSharedEscapes = "dDnrtfaebBAzZGRX0x";
constexpr std::string_view kGroups[] = {"?:", "?=", "?!", "?>", "?<=", "?<!", "?i:", "?i)"};

// \p{Han} is the script alone; newer PCRE2 would add the characters that other scripts share with it.
bool isScript(std::string_view name)
{
    const bool mayBeName =
        name.size() > 2 &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
    return mayBeName && isPcrePattern(fmt::format("\\p{{sc:{}}}", name));
}

class Translator
{
public:
    explicit Translator(std::string_view pattern) : m_pattern(pattern) {}

    Result<std::string> run()
    {
        while (m_position < m_pattern.size() && m_problem.empty())
            step();
        if (!m_problem.empty())
            return badInput(
                {}, fmt::format("the pattern {} has {}, which is not supported", quotedText(m_pattern), m_problem));
        return m_result;
    }

private:
    void step()
    {
        const char c = m_pattern[m_position];
        if (c == '\\')
            escape();
        else if (m_inClass)
            classCharacter(c);
        else if (c == '[')
            beginClass();
        else if (c == '(')
            beginGroup();
        else if (c == '}' && rest().starts_with("}+"))
            m_problem = "an interval followed by +";
        else
            copy(1);
    }

    std::string_view rest() const { return m_pattern.substr(m_position); }

    void copy(std::size_t bytes)
    {
        m_result += m_pattern.substr(m_position, bytes);
        m_position += bytes;
    }

    void set(std::string_view members, bool negated)
    {
        if (m_inClass)
            m_result += members;
        else
            m_result += fmt::format("[{}{}]", negated ? "^" : "", members);
        m_position += 2;
    }

    void escape()
    {
        const std::string_view text = rest();
        const char c = text.size() > 1 ? text[1] : '\0';
        const bool isNegated = c == 'S' || c == 'W' || c == 'H';
        if (c == '\0')
            m_problem = "a backslash at its end";
        else if (isNegated && m_inClass && c != 'S')
            m_problem = fmt::format("\\{} inside a class", c);
        else if (isNegated && m_inClass)
            copy(2);
        else if (c == 's' || c == 'S')
            set(kSpace, isNegated);
        else if (c == 'w' || c == 'W')
            set(m_inClass ? std::string(kWord) : std::string(kWord) + std::string(kLatinWord), isNegated);
        else if (c == 'h' || c == 'H')
            set(kHexDigit, isNegated);
        else if (c == 'v')
            replace("\\x0b", 2);
        else if (c == 'u')
            codePoint(text);
        else if (c == 'p' || c == 'P')
            property(text);
        else if (std::isalnum(static_cast<unsigned char>(c)) && kSharedEscapes.find(c) == std::string_view::npos)
            m_problem = fmt::format("\\{}", c);
        else
            copy(1 + utf8At(text, 1).bytes);
    }

    void replace(const std::string& by, std::size_t bytes)
    {
        m_result += by;
        m_position += bytes;
    }

    void codePoint(std::string_view text)
    {
        const std::string_view digits = text.substr(2, 4);
        if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
            m_problem = "\\u without four hexadecimal digits";
        else
            replace(fmt::format("\\x{{{}}}", digits), 6);
    }

    void property(std::string_view text)
    {
        const auto end = text.find('}');
        if (text.size() < 3 || text[2] != '{' || end == std::string_view::npos)
            m_problem = "a \\p without {name}";
        else if (isScript(text.substr(3, end - 3)))
            replace(fmt::format("\\{}{{sc:{}}}", text[1], text.substr(3, end - 3)), end + 1);
        else
            copy(end + 1);
    }

    void beginClass()
    {
        m_inClass = true;
        copy(rest().starts_with("[^") ? 2 : 1);
        if (rest().starts_with("]"))
            replace("\\]", 1);
    }

    void classCharacter(char c)
    {
        if (c == '[')
            m_problem = "a class inside a class";
        else if (rest().starts_with("&&"))
            m_problem = "an intersection of classes (&&)";
        else if (c == ']')
            m_inClass = false;
        if (m_problem.empty())
            copy(1);
    }

    void beginGroup()
    {
        const std::string_view behind = rest().substr(1);
        if (behind.starts_with("*")) {
            m_problem = "(*";
            return;
        }
        if (!behind.starts_with("?")) {
            copy(1);
            return;
        }
        for (const std::string_view group : kGroups) {
            if (behind.starts_with(group)) {
                copy(1 + group.size());
                return;
            }
        }
        m_problem = fmt::format("a group {}", quotedText(rest().substr(0, 4)));
    }

    std::string_view m_pattern;
    std::size_t m_position = 0;
    bool m_inClass = false;
    std::string m_result;
    std::string m_problem;
};

} // namespace

Result<std::string> pcrePattern(std::string_view pattern)
{
    return Translator(pattern).run();
}

} // namespace peakscope
