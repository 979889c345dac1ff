// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of token rows for training, the same for the same source, seed and step. Used by the trainer; reading
// batches is safe from any thread.
#pragma once

#include "core/base/result.h"
#include "core/text/ignored_label.h"
#include "core/text/text_source.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace peakscope {

// Inputs and labels, [rows, width] row by row. The label of a position is the token that follows it.
struct TokenBatch {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> labels; // kIgnoredLabel where a row is shorter than the batch
    std::int64_t countedLabels = 0;
};

struct BatchOptions {
    std::int64_t batch = 4; // rows of a batch, at least 1
    std::int64_t seq = 128; // builtin, text: positions of a row. tokens: a row's most tokens, the first of which is not
                            // predicted, so that a row of n has n - 1 positions
    std::int64_t vocab = 256; // every id must be below
    std::uint64_t seed = 42;  // of the order of rows, and of the builtin records
};

// Positions of a batch's row where the rows of a token file are cut to `seq` tokens.
constexpr std::int64_t tokenRowWidth(std::int64_t seq, std::int64_t longestRow)
{
    return (seq < longestRow ? seq : longestRow) - 1;
}

class BatchSource
{
public:
    // Rows of seq + 1 tokens cut from records of builtinRecords(). Where the tokeniser's ids pass a vocabulary (tiny
    // models with byte tokens) they are folded into it, with a note: these records exist to be profiled with.
    static Result<BatchSource> fromBuiltin(const Tokenizer& tokenizer, const BatchOptions& options);
    // Rows of seq + 1 tokens cut from a text file or folder, in shuffled order, another one each time all were seen.
    static Result<BatchSource> fromText(const std::filesystem::path& path, const Tokenizer& tokenizer,
                                        const BatchOptions& options);
    // The rows of a JSON file, in order, again from the first after the last. Rows longer than seq are cut; batches are
    // as wide as the longest row, shorter ones are padded (padding is never a label).
    static Result<BatchSource> fromTokens(const std::filesystem::path& path, const BatchOptions& options);

    // The batch of a step (0, 1, ...).
    TokenBatch batch(std::int64_t step) const;

    std::int64_t rows() const { return static_cast<std::int64_t>(m_rows.rows()); }
    std::int64_t width() const { return m_width; } // positions of a batch's row
    const TokenRows& tokenRows() const { return m_rows; }
    // One line: "tinyshakespeare.txt: 1115394 tokens (bytes), 8714 rows of 128".
    const std::string& description() const { return m_description; }
    const std::vector<std::string>& notes() const { return m_notes; }

private:
    static Result<BatchSource> packed(std::span<const std::int32_t> ids, const std::string& context,
                                      const BatchOptions& options);
    std::size_t rowAt(std::int64_t position) const;

    TokenRows m_rows;
    BatchOptions m_options;
    std::int64_t m_width = 0;
    bool m_isShuffled = false;
    std::string m_description;
    std::vector<std::string> m_notes;
};

// "bytes"; "auto": the tokeniser of `modelFolder` where it has one, else bytes; else a folder with a tokeniser.
// `modelFolder` may be empty. A tokeniser that is there and not supported is an error.
Result<std::unique_ptr<Tokenizer>> chooseTokenizer(const std::string& choice, const std::filesystem::path& modelFolder);

} // namespace peakscope
