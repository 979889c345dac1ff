// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics/numeric_table.h"

#include "core/analysis/neighbors/square_range.h"
#include "core/analysis/statistics/table_lines.h"
#include "core/base/input_file.h"
#include "core/base/json/non_finite.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/files/mapped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>

namespace peakscope {
namespace {

constexpr std::size_t kMostColumns = 1'000'000;
constexpr std::size_t kDropBytes = 16 << 20;

// The words that pandas, R, spreadsheets and databases write, in any case of letters.
bool isMissing(std::string_view text)
{
    constexpr std::array<std::string_view, 14> kMissing = {"",     "na",   "n/a", "nan", "<na>", "#n/a", "#na",
                                                           "null", "none", "nat", "nil", "?",    "-",    "--"};
    constexpr std::size_t kLongest = 4;
    if (text.size() > kLongest)
        return false;
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(kMissing.begin(), kMissing.end(), lower) != kMissing.end();
}

// A number, infinite ones included; nothing where the text is none. True and False count as 1 and 0.
std::optional<double> numberOf(std::string_view text)
{
    if (text == "True" || text == "true")
        return 1;
    if (text == "False" || text == "false")
        return 0;
    if (text.size() > 1 && text.front() == '+' && text[1] != '-')
        text.remove_prefix(1);
    if (const auto word = nonFiniteWord(text))
        return *word;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || text.empty())
        return std::nullopt;
    if (error == std::errc::result_out_of_range)
        return text.find("e-") != text.npos || text.find("E-") != text.npos ? 0
                                                                            : std::numeric_limits<double>::infinity();
    if (error != std::errc())
        return std::nullopt;
    return value;
}

// What is known of one column while its values come in.
struct ColumnNotes {
    std::string name;
    bool feature = true;
    std::int64_t texts = 0, missing = 0, infinite = 0;
    std::int64_t firstText = 0, firstMissing = 0, firstInfinite = 0; // lines
    std::int64_t firstComma = 0, firstPoint = 0;                     // of numbers with such a mark; 0: none
    std::string firstTextValue;
    double sum = 0;
    double first = 0, last = 0;
    std::int64_t counted = 0; // values that were each one more than the one before
};

class TableReader
{
public:
    TableReader(std::string_view text, std::string context, const NumericTableOptions& options)
        : m_text(text), m_context(std::move(context)), m_options(options)
    {}

    Result<NumericTable> read(const std::function<void(std::size_t)>& passed)
    {
        if (const Status status = readHeader(); !status)
            return status.error();
        if (const Status status = readRows(passed); !status)
            return status.error();
        return finish();
    }

private:
    Error wrong(const std::string& message) const { return badInput(m_context, message); }

    Status readHeader()
    {
        if (m_text.substr(0, 3) == "\xEF\xBB\xBF")
            m_text.remove_prefix(3);
        const std::string_view head = m_text.substr(0, 1 << 16);
        if (const std::string other = otherFormat(head); !other.empty())
            return wrong("not a table: " + other);
        const bool binary = std::any_of(head.begin(), head.end(), [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 32 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
        });
        if (binary)
            return wrong("not a table: it holds bytes that are not text; a CSV file with a header line is expected");
        const TablePreamble before = tablePreamble(m_text);
        m_text = before.rest;
        if (before.comments > 0)
            m_table.notes.push_back(
                fmt::format("{} before the header, which {} with #, {} skipped", counted(before.comments, "line"),
                            before.comments == 1 ? "begins" : "begin", before.comments == 1 ? "was" : "were"));
        m_separator = before.separator.value_or(tableSeparator(m_text.substr(0, 1 << 16)));
        const std::size_t mark = std::min(m_text.find_first_not_of("\r\n"), m_text.size());
        if (m_separator == ' ' && m_text.substr(mark).starts_with('#')) // as numpy.savetxt writes
            m_text.remove_prefix(mark + 1);
        m_scanner = CsvScanner(m_text, m_separator, before.firstLine);
        std::vector<std::string_view> fields;
        if (!m_scanner.next(fields))
            return wrong("the file is empty; a CSV file with a header line is expected");
        if (const std::string& fault = m_scanner.fault(); !fault.empty())
            return wrong(fmt::format("line {}, field {}: {}", m_scanner.line(), fields.size(), fault));
        if (fields.size() > kMostColumns)
            return wrong("more than a million columns");
        bool allNumbers = true;
        for (const std::string_view field : fields) {
            allNumbers = allNumbers && numberOf(field).has_value();
            m_columns.emplace_back().name = field;
        }
        if (allNumbers)
            m_table.notes.push_back("the first line holds only numbers; it was taken as the header, not as a row");
        if (!m_options.labelsColumn.empty()) {
            const auto column = findColumn(m_options.labelsColumn);
            if (!column)
                return wrong(noColumn(m_options.labelsColumn));
            m_labels = *column;
            m_columns[*column].feature = false;
        }
        for (const std::string& name : m_options.ignored) {
            const auto column = findColumn(name);
            if (!column)
                return wrong(noColumn(name));
            m_columns[*column].feature = false;
        }
        for (const ColumnNotes& column : m_columns)
            m_features += column.feature;
        if (m_features == 0)
            return wrong("no column is left for features");
        return Done{};
    }

    std::optional<std::size_t> findColumn(const std::string& name) const
    {
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (m_columns[i].name == name)
                return i;
        }
        return std::nullopt;
    }

    std::string noColumn(const std::string& name) const
    {
        constexpr std::size_t kShown = 8;
        std::string text = "there is no column " + inQuotes(name) + "; there are";
        for (std::size_t i = 0; i < std::min(kShown, m_columns.size()); ++i)
            text += (i == 0 ? " " : ", ") + oneLine(std::string_view(m_columns[i].name).substr(0, 40));
        return text + (m_columns.size() > kShown ? ", …" : "");
    }

    Status readRows(const std::function<void(std::size_t)>& passed)
    {
        std::vector<std::string_view> fields;
        std::map<std::string, int, std::less<>> labels;
        while (m_scanner.next(fields)) {
            if (const std::string& fault = m_scanner.fault(); !fault.empty())
                return wrong(fmt::format("line {}, field {}: {}", m_scanner.line(), fields.size(), fault));
            if (fields.size() == 1 && fields[0].empty())
                continue;
            // As R writes the names of rows; an empty field at the end is a separator too many.
            if (m_table.rows == 0)
                m_rowNames = fields.size() == m_columns.size() + 1 && !fields.back().empty();
            if (fields.size() != m_columns.size() + m_rowNames)
                return wrong(fmt::format("line {} has {}, {} {}", m_scanner.line(),
                                         counted(static_cast<std::int64_t>(fields.size()), "field"),
                                         m_rowNames ? "the lines before it have" : "the header has",
                                         m_columns.size() + m_rowNames));
            if (m_rowNames)
                fields.erase(fields.begin());
            for (std::size_t i = 0; i < fields.size(); ++i) {
                if (m_columns[i].feature)
                    m_table.values.push_back(take(m_columns[i], fields[i]));
            }
            if (m_labels) {
                const auto [at, isNew] =
                    labels.try_emplace(std::string(fields[*m_labels]), static_cast<int>(labels.size()));
                if (isNew)
                    m_table.labelNames.emplace_back(fields[*m_labels]);
                m_table.labels.push_back(at->second);
            }
            ++m_table.rows;
            passed(m_scanner.position());
        }
        if (m_rowNames)
            m_table.notes.push_back(
                "left out, being the rows' names: the first column, which the header does not name");
        if (m_table.rows == 0)
            return wrong("there is a header line but no rows");
        return Done{};
    }

    // "1,5" where semicolons separate: the number format of most of Europe.
    std::optional<double> commaNumberOf(ColumnNotes& column, std::string_view field) const
    {
        constexpr std::size_t kLongest = 60;
        const std::size_t comma = field.find(',');
        if (m_separator != ';' || comma == field.npos || field.size() > kLongest || field.find('.') != field.npos)
            return std::nullopt;
        std::string text(field);
        text[comma] = '.';
        const std::optional<double> value = numberOf(text);
        if (value && column.firstComma == 0)
            column.firstComma = m_scanner.line();
        return value;
    }

    double take(ColumnNotes& column, std::string_view field)
    {
        const auto note = [&](std::int64_t& count, std::int64_t& first) {
            if (count++ == 0)
                first = m_scanner.line();
            return std::numeric_limits<double>::quiet_NaN();
        };
        if (isMissing(field))
            return note(column.missing, column.firstMissing);
        std::optional<double> value = numberOf(field);
        if (!value)
            value = commaNumberOf(column, field);
        else if (column.firstPoint == 0 && field.find('.') != field.npos)
            column.firstPoint = m_scanner.line();
        if (!value) {
            if (column.texts == 0)
                column.firstTextValue = field.substr(0, 100);
            return note(column.texts, column.firstText);
        }
        if (std::isnan(*value))
            return note(column.missing, column.firstMissing);
        if (std::isinf(*value))
            return note(column.infinite, column.firstInfinite); // as good as missing where those are filled in
        column.sum += *value;
        column.first = column.counted == 0 && m_table.rows == 0 ? *value : column.first;
        column.counted += m_table.rows == 0 || *value == column.last + 1;
        column.last = *value;
        return *value;
    }

    // The index that pandas and R write in front: a column without a name of its own that counts the rows.
    bool countsRows(const ColumnNotes& column) const
    {
        std::string name = column.name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool nameless = name.empty() || name == "index" || name == "level_0" || name.starts_with("unnamed:");
        return nameless && m_table.rows > 1 && column.counted == m_table.rows;
    }

    // Which of the feature columns are numbers; the error where one is neither that nor text.
    Status judgeColumns()
    {
        std::string texts, empties, commas, counters;
        for (ColumnNotes& column : m_columns) {
            if (!column.feature)
                continue;
            const std::int64_t filled = m_table.rows - column.missing - column.infinite;
            if (countsRows(column)) {
                counters += (counters.empty() ? "" : ", ") + (column.name.empty() ? "(no name)" : oneLine(column.name));
                column.feature = false;
            } else if (filled == 0) {
                empties += (empties.empty() ? "" : ", ") + oneLine(column.name);
                column.feature = false;
            } else if (2 * column.texts > filled) {
                texts += fmt::format("{}{} (line {}: {})", texts.empty() ? "" : ", ", oneLine(column.name),
                                     column.firstText, inQuotes(column.firstTextValue));
                column.feature = false;
            } else if (column.texts > 0) {
                return wrong(place(column.firstText, column) + ": " + inQuotes(column.firstTextValue) +
                             " is not a number");
            } else if (column.firstComma > 0 && column.firstPoint > 0) {
                return wrong(place(column.firstComma, column) + ": a comma in a number, a point in that of line " +
                             std::to_string(column.firstPoint) +
                             "; write all of the column with one decimal mark and none between thousands");
            } else if (column.infinite > 0 && m_options.missing == MissingValues::Refuse) {
                return wrong(place(column.firstInfinite, column) + ": an infinite value");
            } else if (column.missing > 0 && m_options.missing == MissingValues::Refuse) {
                return wrong(place(column.firstMissing, column) + ": the value is missing or NaN (" +
                             std::to_string(column.missing) +
                             " in this column); fill it, leave the column out, or put " +
                             "the column's mean in its place");
            }
            if (column.feature && column.firstComma > 0)
                commas += (commas.empty() ? "" : ", ") + oneLine(column.name);
        }
        if (!commas.empty())
            m_table.notes.push_back("commas in numbers were read as decimal commas: " + commas);
        if (!counters.empty())
            m_table.notes.push_back("left out, being the rows' numbers: " + counters);
        if (!texts.empty())
            m_table.notes.push_back("left out, being text: " + texts);
        if (!empties.empty())
            m_table.notes.push_back("left out, having no values: " + empties);
        return Done{};
    }

    // What stood where a number was looked for.
    std::string firstWord() const
    {
        for (const ColumnNotes& column : m_columns) {
            if (column.texts > 0)
                return ": " + place(column.firstText, column) + " holds " + inQuotes(column.firstTextValue);
        }
        return {};
    }

    std::string place(std::int64_t line, const ColumnNotes& column) const
    {
        return "line " + std::to_string(line) + ", column " + inQuotes(column.name);
    }

    Result<NumericTable> finish()
    {
        std::vector<const ColumnNotes*> read;
        for (const ColumnNotes& column : m_columns) {
            if (column.feature)
                read.push_back(&column);
        }
        if (const Status status = judgeColumns(); !status) // takes text columns out of the features
            return status.error();
        std::size_t to = 0;
        for (std::size_t from = 0; from < m_table.values.size(); ++from) {
            const ColumnNotes& column = *read[from % read.size()];
            if (!column.feature)
                continue;
            const double value = m_table.values[from];
            const std::int64_t filled = m_table.rows - column.missing - column.infinite;
            m_table.values[to++] = std::isnan(value) ? column.sum / static_cast<double>(filled) : value;
        }
        m_table.values.resize(to);
        std::int64_t filledIn = 0;
        for (const ColumnNotes* column : read) {
            if (column->feature) {
                m_table.columns.push_back(column->name);
                filledIn += column->missing + column->infinite;
            }
        }
        if (m_table.columns.empty())
            return wrong("no column of numbers is left for features" + firstWord());
        if (filledIn > 0)
            m_table.notes.push_back(std::to_string(filledIn) +
                                    " missing or infinite values were replaced by their column's mean");
        return std::move(m_table);
    }

    std::string_view m_text;
    std::string m_context;
    const NumericTableOptions& m_options;
    char m_separator = ',';
    CsvScanner m_scanner{{}, ','};
    std::vector<ColumnNotes> m_columns;
    std::optional<std::size_t> m_labels;
    std::size_t m_features = 0;
    bool m_rowNames = false; // a field in front of those that the header names
    NumericTable m_table;
};

struct ColumnSpread {
    double mean = 0, deviation = 0;
};

ColumnSpread spreadOf(const NumericTable& table, std::size_t column)
{
    ColumnSpread spread;
    double square = 0, low = INFINITY, high = -INFINITY;
    std::int64_t count = 0;
    for (std::size_t at = column; at < table.values.size(); at += table.columns.size()) {
        const double value = table.values[at], step = value - spread.mean;
        spread.mean += step / static_cast<double>(++count);
        square += step * (value - spread.mean);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    spread.deviation = low < high ? std::sqrt(square / static_cast<double>(count)) : 0;
    return spread;
}

} // namespace

void standardize(NumericTable& table)
{
    const std::size_t columns = table.columns.size();
    for (std::size_t column = 0; column < columns; ++column) {
        double largest = 0;
        for (std::size_t at = column; at < table.values.size(); at += columns)
            largest = std::max(largest, std::abs(table.values[at]));
        if (const int exponent = exponentForSquares(largest); exponent != 0) {
            for (std::size_t at = column; at < table.values.size(); at += columns)
                table.values[at] = std::ldexp(table.values[at], exponent);
        }
        const ColumnSpread spread = spreadOf(table, column);
        for (std::size_t at = column; at < table.values.size(); at += columns)
            table.values[at] = spread.deviation > 0 ? (table.values[at] - spread.mean) / spread.deviation : 0;
    }
}

void noteDominantColumn(NumericTable& table)
{
    constexpr double kShare = 0.99;
    double sum = 0, largest = 0;
    std::size_t which = 0;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const double deviation = spreadOf(table, column).deviation, square = deviation * deviation;
        sum += square;
        if (square > largest) {
            largest = square;
            which = column;
        }
    }
    if (table.columns.size() < 2 || !(largest > kShare * sum) || !std::isfinite(sum))
        return;
    table.notes.push_back("column " + inQuotes(table.columns[which]) + " alone makes the distances (" +
                          fmt::format("{:.4g} % of the variance", 100 * largest / sum) +
                          "): standardise the columns, or leave it out");
}

Result<NumericTable> parseNumericTable(std::string_view text, const std::string& context,
                                       const NumericTableOptions& options)
{
    try {
        return TableReader(text, context, options).read([](std::size_t) {});
    } catch (const std::bad_alloc&) {
        return failed(context, "not enough memory for the table");
    }
}

Result<NumericTable> readNumericTable(const std::filesystem::path& path, const NumericTableOptions& options)
{
    if (!isRegularFile(path)) {
        // A pipe, or what is no file at all; readInput has the words for it.
        const Result<std::string> text = readInput(path.string());
        return text ? parseNumericTable(*text, path.string(), options) : Result<NumericTable>(text.error());
    }
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file)
        return file.error();
    std::size_t dropped = 0;
    try {
        return TableReader(file->view(), path.string(), options).read([&](std::size_t position) {
            // What was read need not stay in memory.
            if (position > dropped + kDropBytes) {
                file->dropPages(file->data() + dropped, kDropBytes);
                dropped += kDropBytes;
            }
        });
    } catch (const std::bad_alloc&) {
        return failed(path.string(), "not enough memory for the table");
    }
}

} // namespace peakscope
