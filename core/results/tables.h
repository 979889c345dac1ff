// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as tables and as text that spreadsheets read: the twins of the charts, for the window's copy and export and
// for `convert`.
#pragma once

#include "core/results/run_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace peakscope {

struct TableColumn {
    std::string name; // as in files: snake_case, with its unit
    std::string unit; // "bytes", "seconds", "" for none
};

using TableCell = std::variant<std::string, std::int64_t, double>; // a double that is not finite is an empty cell

struct Table {
    std::string title; // "components", "snapshots", …
    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows; // each as long as columns
};

// The number, or an empty cell: where it is known. In a conditional of two cells GCC 12 sees a string without a value.
template <typename T>
TableCell cellIf(bool known, T number)
{
    if (known)
        return number;
    return kNoNumber;
}
template <typename T>
TableCell cellOf(const std::optional<T>& number)
{
    if (number)
        return *number;
    return kNoNumber;
}

// Empty tables where the result has no such section.
Table memoryComponentsTable(const RunResult& result); // every component that is known: at the peak, maximum, share
// The same with a first column of what was alive at another instant: "alive_bytes@WHEN", bytes.
Table withInstant(Table components, const ComponentBytes& alive, const std::string& when);
Table snapshotsTable(const RunResult& result);
// Of modules and operators without the columns that have no value in any row.
Table modulesTable(const RunResult& result);
Table operatorsTable(const RunResult& result); // titled "lines" where they are
// Whether lines of the program stand in place of operators: of a CUDA memory snapshot, and of a dry run whose components
// had to be inferred from it.
bool holdsLines(const RunResult& result);
// A row per rank: where it ran, how it ended, its peak with what it was made of, its step and communication, and which
// is fullest and which the others wait for. Empty where the result has no ranks.
Table ranksTable(const RunResult& result);
// A row a rank, kind of collective and phase; without a phase where the result does not tell phases.
Table collectivesTable(const RunResult& result);

// RFC 4180: a header line, commas, CRLF, csvCell.
std::string toCsv(const Table& table);
// For the clipboard: tabs and line feeds; those inside a cell (spreadsheetText) become spaces.
std::string toTsv(const Table& table);

// time_seconds, component, delta_bytes, total_bytes (after the event); without a Table between, as it may have
// millions of rows.
std::string timelineCsv(const TimelineData& timeline);

} // namespace peakscope
