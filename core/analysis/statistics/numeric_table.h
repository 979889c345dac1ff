// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers from CSV files with a header line. Used by `embed` and the features view. Any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class MissingValues {
    Refuse,     // an error that names the first
    ColumnMean, // the mean of the column's other values
};

struct NumericTableOptions {
    std::string labelsColumn;         // left out of the features and kept as text; empty: none
    std::vector<std::string> ignored; // columns left out
    MissingValues missing = MissingValues::Refuse;
};

struct NumericTable {
    std::int64_t rows = 0;
    std::vector<std::string> columns; // of the features
    std::vector<double> values;       // rows x columns, row by row, all finite
    std::vector<int> labels; // of the labels column: numbers from 0 in the order of first appearance; may be empty
    std::vector<std::string> labelNames;
    std::vector<std::string> notes; // what was left out or looks odd, a sentence each
};

// Commas, semicolons, tabs or blanks (the header decides, which may stand behind a #), quoted fields, any line ends, a
// byte order mark; lines that are empty are skipped. Columns most of whose values are text, and an index without a name
// that counts the rows, are left out, with a note. Errors name the line and the column: a stray text in a column of
// numbers, a line with more or fewer fields than the header, a missing or infinite value.
Result<NumericTable> readNumericTable(const std::filesystem::path& path, const NumericTableOptions& options);
Result<NumericTable> parseNumericTable(std::string_view text, const std::string& context,
                                       const NumericTableOptions& options);

// Every column to mean 0 and standard deviation 1 (of the population); constant ones to 0.
void standardize(NumericTable& table);
// Adds a note where one column holds nearly all of the columns' variance, so that it alone makes Euclidean distances.
void noteDominantColumn(NumericTable& table);

} // namespace peakscope
