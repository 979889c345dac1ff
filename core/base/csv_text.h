// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text as a cell of a table that spreadsheets open, and back. Used by all that writes or reads CSV. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// The text, behind an apostrophe where a spreadsheet would take it for a formula (=, +, -, @, tab, a line break or one
// of their wide forms at its beginning); numbers ("-1.5", "+3e-4", "-inf", "-5 %") and a lone sign stay as they are. A
// text that has such an apostrophe already gets another, so that spreadsheetValue gives every text back.
std::string spreadsheetText(std::string_view text);

// What spreadsheetText made the text of.
std::string_view spreadsheetValue(std::string_view text);

// spreadsheetText in quotes where a CSV file needs them (RFC 4180), or where a reader would cut off blanks.
std::string csvCell(std::string_view text);

} // namespace peakscope
