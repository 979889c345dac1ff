// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics/table_lines.h"

#include "core/base/csv_text.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace peakscope {

std::string inQuotes(std::string_view text)
{
    constexpr std::size_t kShown = 40;
    return "\"" + oneLine(text.substr(0, kShown)) + (text.size() > kShown ? "…" : "") + "\"";
}

namespace {

constexpr std::size_t kLongestField = 1 << 20; // a quote that is never closed would take the file for a field

// Takes the next line that is not empty off a text.
std::string_view takeLine(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    text.remove_prefix(line.size());
    return line;
}

std::int64_t lineEnds(std::string_view text)
{
    std::int64_t ends = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        ends += text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    return ends;
}

// Of a first line "sep=;", which Excel reads and writes: the separator.
std::optional<char> namedSeparator(std::string_view line)
{
    if (line.size() > 2 && line.front() == '"' && line.back() == '"')
        line = line.substr(1, line.size() - 2);
    constexpr std::string_view kWord = "sep=";
    if (line.size() != kWord.size() + 1 || std::isalnum(static_cast<unsigned char>(line.back())) || line.back() == '"')
        return std::nullopt;
    const bool named = std::equal(kWord.begin(), kWord.end(), line.begin(), [](char a, char b) {
        return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
    });
    return named ? std::optional(line.back()) : std::nullopt;
}

std::size_t fieldsIn(std::string_view line, char separator)
{
    std::vector<std::string_view> fields;
    CsvScanner(line, separator).next(fields);
    return fields.size();
}

// Takes the next line that is not empty off a text, line ends in quotes included.
std::string_view takeRecord(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || (text[end] != '\n' && text[end] != '\r')); ++end)
        quoted ^= text[end] == '"';
    const std::string_view record = text.substr(0, end);
    text.remove_prefix(end);
    return record;
}

std::string outsideQuotes(std::string_view record)
{
    std::string out;
    bool quoted = false;
    for (const char c : record) {
        quoted ^= c == '"';
        if (!quoted)
            out += c;
    }
    return out;
}

} // namespace

bool CsvScanner::next(std::vector<std::string_view>& fields)
{
    fields.clear();
    m_unescaped.clear();
    while (m_at < m_text.size() && (m_text[m_at] == '\n' || m_text[m_at] == '\r')) {
        m_line += m_text[m_at] == '\n' || m_at + 1 >= m_text.size() || m_text[m_at + 1] != '\n';
        ++m_at;
    }
    m_recordLine = m_line;
    if (m_at >= m_text.size())
        return false;
    while (true) {
        if (m_separator == ' ')
            skipBlanks();
        fields.push_back(spreadsheetValue(field()));
        if (!m_fault.empty())
            return true;
        if (m_separator == ' ' && skipBlanks() && m_at < m_text.size() && !endsField(m_at))
            continue;
        if (m_separator != ' ' && m_at < m_text.size() && m_text[m_at] == m_separator) {
            ++m_at;
            continue;
        }
        return true;
    }
}

bool CsvScanner::skipBlanks()
{
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isBlank(m_text[m_at]))
        ++m_at;
    return m_at > begin;
}

bool CsvScanner::endsField(std::size_t at) const
{
    return m_text[at] == m_separator || (m_separator == ' ' && m_text[at] == '\t') || m_text[at] == '\n' ||
           m_text[at] == '\r';
}

std::string_view CsvScanner::field()
{
    std::size_t begin = m_at;
    while (begin < m_text.size() && m_text[begin] == ' ')
        ++begin;
    if (begin < m_text.size() && m_text[begin] == '"')
        return quotedField(begin + 1);
    while (m_at < m_text.size() && !endsField(m_at))
        ++m_at;
    return trimmed(m_text.substr(begin, m_at - begin));
}

std::string_view CsvScanner::quotedField(std::size_t begin)
{
    std::string out;
    m_at = begin;
    while (m_at < m_text.size() && out.size() < kLongestField) {
        const char c = m_text[m_at++];
        if (c == '"' && m_at < m_text.size() && m_text[m_at] == '"') {
            ++m_at;
        } else if (c == '"') {
            const std::size_t behind = m_at;
            while (m_at < m_text.size() && !endsField(m_at))
                ++m_at;
            if (const std::string_view rest = trimmed(m_text.substr(behind, m_at - behind)); !rest.empty())
                m_fault = fmt::format("{} follows a closing quote", inQuotes(rest));
            m_unescaped.push_back(std::make_unique<std::string>(std::move(out)));
            return *m_unescaped.back();
        }
        m_line += c == '\n';
        out += c;
    }
    m_fault = "a quote is never closed";
    m_at = m_text.size();
    return {};
}

char usualSeparator(std::string_view line)
{
    const auto count = [&](char c) { return std::count(line.begin(), line.end(), c); };
    if (count('\t') > std::max(count(','), count(';')))
        return '\t';
    return count(';') > count(',') ? ';' : ',';
}

std::string otherFormat(std::string_view text)
{
    struct Beginning {
        std::string_view bytes, words;
    };
    constexpr std::string_view kUtf16 = "it is text in UTF-16, as Excel's \"Unicode text\" is; save it as CSV in UTF-8";
    constexpr std::array<Beginning, 4> kBeginnings{{{"\x1f\x8b", "it is packed by gzip; unpack it first"},
                                                    {"PK\x03\x04", "it is a zip archive, as Excel's .xlsx files are; "
                                                                   "save the table as CSV"},
                                                    {"\xff\xfe", kUtf16},
                                                    {"\xfe\xff", kUtf16}}};
    for (const Beginning& beginning : kBeginnings) {
        if (text.starts_with(beginning.bytes))
            return std::string(beginning.words);
    }
    std::string start; // its first two characters that are no blanks
    for (std::size_t i = 0; i < text.size() && start.size() < 2; ++i) {
        if (std::isspace(static_cast<unsigned char>(text[i])) == 0)
            start += text[i];
    }
    return start == "[{" || start == "[[" || start == "{\""
               ? "it is JSON; write the table as CSV, by pandas' to_csv for "
                 "example"
               : "";
}

char tableSeparator(std::string_view text)
{
    std::string_view header = takeRecord(text);
    if (header.starts_with('#')) // as numpy.savetxt writes
        header.remove_prefix(1);
    const std::string_view row = takeRecord(text);
    const std::string names = outsideQuotes(header);
    if (names.find_first_of(",;\t") != names.npos)
        return usualSeparator(names);
    const std::size_t named = fieldsIn(trimmed(header), ' '), given = fieldsIn(trimmed(row), ' ');
    // One name and two fields: quotes tell a row's name from "1 000".
    const bool rowNames = given == named + 1 && (named > 1 || row.starts_with('"'));
    return (named > 1 && given > 1) || rowNames ? ' ' : ',';
}

TablePreamble tablePreamble(std::string_view text)
{
    TablePreamble before;
    std::string_view rest = text;
    before.separator = namedSeparator(takeLine(rest));
    if (!before.separator)
        rest = text;
    before.rest = rest;
    std::string_view start = rest, line = takeLine(rest), last, lastStart;
    for (; line.starts_with('#'); start = rest, line = takeLine(rest)) {
        last = line;
        lastStart = start;
        ++before.comments;
    }
    if (before.comments > 0) {
        const bool blanks = line.find_first_of(",;\t") == line.npos && line.find(' ') != line.npos;
        const char separator = before.separator.value_or(blanks ? ' ' : usualSeparator(line));
        const bool isHeader = line.empty() || fieldsIn(last.substr(1), separator) == fieldsIn(line, separator);
        before.rest = isHeader ? lastStart : start;
        before.comments -= isHeader;
    }
    before.firstLine += lineEnds(text.substr(0, text.size() - before.rest.size()));
    return before;
}

} // namespace peakscope
