// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where training data comes from: text files and folders, the built-in records, JSON rows of token ids. Used by the
// batch source; pure functions.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace peakscope {

// Rows of token ids, one behind the other.
struct TokenRows {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> rowStart = {0}; // where each row begins in `ids`, and where the last one ends

    std::size_t rows() const { return rowStart.size() - 1; }
    std::span<const std::int32_t> row(std::size_t i) const
    {
        const auto begin = static_cast<std::size_t>(rowStart[i]);
        return {ids.data() + begin, static_cast<std::size_t>(rowStart[i + 1]) - begin};
    }
    void addRow(std::span<const std::int32_t> row)
    {
        ids.insert(ids.end(), row.begin(), row.end());
        rowStart.push_back(static_cast<std::int64_t>(ids.size()));
    }
    std::int64_t longestRow() const;
    bool hasEqualRows() const; // all of one length
};

struct TextData {
    std::string text;               // valid UTF-8
    std::int64_t files = 0;         // that it came from
    std::vector<std::string> notes; // what was left out or replaced, a sentence each
};

// A text file, or all text files below a folder, sorted by path, each ended with a line break. What is not UTF-8 is
// replaced by U+FFFD with a note. In a folder, binary files (a NUL among the first 8 KiB), hidden ones and those that
// cannot be read are left out with a note; a single file that is binary is an error. So is a folder without any text.
Result<TextData> readTextFiles(const std::filesystem::path& path);

// `count` made-up personal records (name, city, number, a sentence), a line each, all distinct, ASCII. The same for a
// seed on every platform. `first` makes the records from that one on: [0, n) and [n, 2n) share none.
std::vector<std::string> builtinRecords(std::uint64_t seed, std::int64_t count, std::int64_t first = 0);

// A JSON array of rows, each an array of token ids (integers, 0 to 2^31 - 1, at least one a row); an error names the
// row and the place in it. A single flat array of ids is one row.
Result<TokenRows> tokenRowsFromJson(const std::filesystem::path& path);

// Cuts a stream of tokens into rows of `length`, each beginning with the token that the row before ended with, so that
// every token but the first is predicted once. What does not fill a row at the end is left out; a stream shorter than
// `length` (at least 2) is an error.
Result<TokenRows> packRows(std::span<const std::int32_t> tokens, std::int64_t length);

// "; these tokens need one of 50257": of ids, of which there is one, behind a sentence on a vocabulary that is too
// small.
std::string neededVocabulary(std::span<const std::int32_t> ids);

// An error where an id is not below `vocab`; it names the row, the place, the id and the vocabulary's size.
Status checkVocabulary(const TokenRows& rows, std::int64_t vocab, const std::string& context);

} // namespace peakscope
