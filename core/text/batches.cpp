// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/batches.h"

#include "core/text/random_bits.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBuiltinRecords = 4096;
constexpr std::int64_t kMostBuiltinRecords = 1 << 18; // 25 MiB of text
constexpr std::int64_t kLargestBatch = 1LL << 32;     // tokens; 32 GiB as tensors

Status checkOptions(const BatchOptions& options)
{
    if (options.batch < 1)
        return badInput("data.batch", fmt::format("{} is below 1", options.batch));
    if (options.seq < 1)
        return badInput("data.seq", fmt::format("{} is below 1", options.seq));
    if (options.batch > kLargestBatch / options.seq)
        return badInput("data.batch", fmt::format("{} rows of {} tokens are more than the {} tokens a batch may have",
                                                  options.batch, options.seq, kLargestBatch));
    return Done{};
}

std::string recordText(std::uint64_t seed, std::int64_t count)
{
    std::string text;
    for (const std::string& record : builtinRecords(seed, count)) {
        text += record;
        text += '\n';
    }
    return text;
}

} // namespace

Result<BatchSource> BatchSource::packed(std::span<const std::int32_t> ids, const std::string& context,
                                        const BatchOptions& options)
{
    auto rows = packRows(ids, options.seq + 1);
    if (!rows)
        return badInput(context, rows.error().message);
    BatchSource source;
    source.m_rows = std::move(*rows);
    source.m_options = options;
    source.m_width = options.seq;
    source.m_isShuffled = true;
    return source;
}

Result<BatchSource> BatchSource::fromBuiltin(const Tokenizer& tokenizer, const BatchOptions& options)
{
    if (const Status status = checkOptions(options); !status)
        return status.error();
    // Enough records for a batch of different rows, however long these are.
    const std::int64_t wanted = options.batch * options.seq + 1;
    std::int64_t count = kBuiltinRecords;
    std::vector<std::int32_t> ids = tokenizer.encode(recordText(options.seed, count));
    while (static_cast<std::int64_t>(ids.size()) < wanted && count < kMostBuiltinRecords) {
        count *= 2;
        ids = tokenizer.encode(recordText(options.seed, count));
    }
    const bool passes = std::any_of(ids.begin(), ids.end(), [&](std::int32_t id) { return id >= options.vocab; });
    if (passes && options.vocab > 0) {
        for (std::int32_t& id : ids)
            id = static_cast<std::int32_t>(id % options.vocab);
    }
    auto source = packed(ids, "builtin", options);
    if (!source)
        return source.error();
    source->m_description = fmt::format("builtin: {} records, {} tokens ({}), {} rows of {}", count, ids.size(),
                                        tokenizer.name(), source->rows(), source->width());
    if (passes)
        source->m_notes.push_back(fmt::format(
            "the tokens of the builtin records ({}) pass the model's vocabulary of {} and were folded into it",
            tokenizer.name(), options.vocab));
    return source;
}

Result<BatchSource> BatchSource::fromText(const fs::path& path, const Tokenizer& tokenizer, const BatchOptions& options)
{
    if (const Status status = checkOptions(options); !status)
        return status.error();
    auto data = readTextFiles(path);
    if (!data)
        return data.error();
    const std::vector<std::int32_t> ids = tokenizer.encode(data->text);
    const auto found = std::find_if(ids.begin(), ids.end(), [&](std::int32_t id) { return id >= options.vocab; });
    if (found != ids.end())
        return badInput(path.string(),
                        fmt::format("token {} of the text ({}) has the id {}, not below the model's vocabulary of {}{}",
                                    found - ids.begin(), tokenizer.name(), *found, options.vocab,
                                    neededVocabulary(ids)));
    auto source = packed(ids, path.string(), options);
    if (!source)
        return source.error();
    const std::string files = data->files == 1 ? std::string() : fmt::format("{} files, ", data->files);
    source->m_description = fmt::format("{}: {}{} tokens ({}), {} rows of {}", path.filename().string(), files,
                                        ids.size(), tokenizer.name(), source->rows(), source->width());
    source->m_notes = std::move(data->notes);
    return source;
}

Result<BatchSource> BatchSource::fromTokens(const fs::path& path, const BatchOptions& options)
{
    if (const Status status = checkOptions(options); !status)
        return status.error();
    auto rows = tokenRowsFromJson(path);
    if (!rows)
        return rows.error();
    if (options.seq < 2)
        return badInput("data.seq", "1 leaves nothing to predict: the first token of a row of tokens is not predicted");
    for (std::size_t i = 0; i < rows->rows(); ++i) {
        if (rows->row(i).size() < 2)
            return badInput(path.string(),
                            fmt::format("row {} has 1 token; at least 2 are needed, one to predict the other", i));
    }
    if (const Status status = checkVocabulary(*rows, options.vocab, path.string()); !status)
        return status.error();
    BatchSource source;
    source.m_rows = std::move(*rows);
    source.m_options = options;
    source.m_width = tokenRowWidth(options.seq, source.m_rows.longestRow());
    source.m_description =
        fmt::format("{}: {} rows, {} tokens", path.filename().string(), source.rows(), source.m_rows.ids.size());
    if (source.m_rows.longestRow() > options.seq)
        source.m_notes.push_back(
            fmt::format("rows of up to {} tokens were cut to data.seq = {}", source.m_rows.longestRow(), options.seq));
    if (!source.m_rows.hasEqualRows())
        source.m_notes.push_back("rows of different lengths: shorter ones are padded, and padding is not predicted");
    return source;
}

// The row at a place of the endless order of rows.
std::size_t BatchSource::rowAt(std::int64_t position) const
{
    const auto place = static_cast<std::uint64_t>(position);
    const std::uint64_t count = m_rows.rows();
    if (!m_isShuffled)
        return place % count;
    const std::uint64_t epoch = place / count;
    return shuffledIndex(place % count, count, RandomBits::mix(m_options.seed) + epoch);
}

TokenBatch BatchSource::batch(std::int64_t step) const
{
    TokenBatch batch;
    batch.rows = m_options.batch;
    batch.width = m_width;
    const auto width = static_cast<std::size_t>(m_width);
    batch.inputs.assign(static_cast<std::size_t>(batch.rows) * width, 0);
    batch.labels.assign(static_cast<std::size_t>(batch.rows) * width, kIgnoredLabel);
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        const auto row = m_rows.row(rowAt(step * batch.rows + r));
        const std::size_t used = std::min(row.size() - 1, width);
        const auto begin = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * width);
        const auto end = row.begin() + static_cast<std::ptrdiff_t>(used);
        std::copy(row.begin(), end, batch.inputs.begin() + begin);
        std::copy(row.begin() + 1, end + 1, batch.labels.begin() + begin);
        batch.countedLabels += static_cast<std::int64_t>(used);
    }
    return batch;
}

Result<std::unique_ptr<Tokenizer>> chooseTokenizer(const std::string& choice, const fs::path& modelFolder)
{
    if (choice == "bytes")
        return Tokenizer::bytes();
    if (choice != "auto")
        return Tokenizer::load(choice);
    std::error_code ignored;
    for (const char* name : {"tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model"}) {
        if (!modelFolder.empty() && fs::exists(modelFolder / name, ignored)) {
            auto tokenizer = Tokenizer::load(modelFolder);
            if (!tokenizer)
                return badInput(tokenizer.error().context,
                                tokenizer.error().message + " (data.tokenizer can be \"bytes\" or another folder)");
            return tokenizer;
        }
    }
    return Tokenizer::bytes();
}

} // namespace peakscope
