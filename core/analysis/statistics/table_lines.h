// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lines and fields of a table's text, and what stands before its header. Part of numeric_table.cpp; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Goes through a text line by line and field by field.
class CsvScanner
{
public:
    // A separator of ' ' stands for runs of blanks and tabs.
    CsvScanner(std::string_view text, char separator, std::int64_t firstLine = 1)
        : m_text(text), m_separator(separator), m_line(firstLine)
    {}

    std::size_t position() const { return m_at; }
    std::int64_t line() const { return m_recordLine; }
    const std::string& fault() const { return m_fault; } // of the last field that next() gave; it goes no further

    // The fields of the next line that is not empty; false at the end. Views stay good until the next call.
    bool next(std::vector<std::string_view>& fields);

private:
    static bool isBlank(char c) { return c == ' ' || c == '\t'; }
    bool skipBlanks();
    bool endsField(std::size_t at) const;
    std::string_view field();
    std::string_view quotedField(std::size_t begin);

    std::string_view m_text;
    char m_separator;
    std::size_t m_at = 0;
    std::int64_t m_line = 1, m_recordLine = 1;
    std::string m_fault;
    std::vector<std::unique_ptr<std::string>> m_unescaped;
};

// The beginning of a text, short enough for a message.
std::string inQuotes(std::string_view text);

// What a file is that is no table, and what would be right; empty where its beginning does not tell.
std::string otherFormat(std::string_view text);

// What stands between the columns of a table: comma, semicolon, tab, or blanks, as its header and its first row have
// it. Rows may have one field more than the header: a name of the row in front (R's write.table).
char tableSeparator(std::string_view text);

// Which of comma, semicolon and tab a line has most of.
char usualSeparator(std::string_view line);

// What may stand before the header: Excel's "sep=;" and comments of other programs. The last line behind a # may be the
// header itself: it is where it has as many fields as the line after it.
struct TablePreamble {
    std::string_view rest; // from the header on, or from the end of the line before it
    std::int64_t firstLine = 1;
    std::optional<char> separator;
    std::int64_t comments = 0; // lines that were passed over
};
TablePreamble tablePreamble(std::string_view text);

} // namespace peakscope
