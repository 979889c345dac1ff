// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include "core/text/pipeline_tokenizer.h"

#include <fmt/format.h>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

class ByteTokenizer : public Tokenizer
{
public:
    std::vector<std::int32_t> encode(std::string_view utf8) const override
    {
        std::vector<std::int32_t> ids(utf8.size());
        for (std::size_t i = 0; i < utf8.size(); ++i)
            ids[i] = static_cast<unsigned char>(utf8[i]);
        return ids;
    }

    std::string decode(std::span<const std::int32_t> ids) const override
    {
        std::string text;
        for (const std::int32_t id : ids) {
            if (id >= 0 && id < 256)
                text += static_cast<char>(id);
        }
        return text;
    }

    std::int64_t vocabSize() const override { return 256; }
    std::string name() const override { return "bytes"; }
};

// A tokeniser file that is there and not read, for the message; empty where there is none.
std::string foreignTokenizer(const fs::path& folder)
{
    std::error_code ignored;
    for (const char* name :
         {"vocab.txt", "spiece.model", "sentencepiece.bpe.model", "tekken.json", "tokenizer_config.json"}) {
        if (fs::exists(folder / name, ignored))
            return fmt::format(" ({} alone is not enough)", name);
    }
    return {};
}

} // namespace

std::unique_ptr<Tokenizer> Tokenizer::bytes()
{
    return std::make_unique<ByteTokenizer>();
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::load(const fs::path& folder)
{
    std::error_code ignored;
    const auto has = [&](const char* name) { return fs::is_regular_file(folder / name, ignored); };
    if (!fs::is_directory(folder, ignored))
        return badInput(folder.string(),
                        fs::exists(folder, ignored) ? "not a folder with a tokeniser" : "no such folder");
    if (has("tokenizer.json")) {
        auto tokenizer = loadTokenizerJson(folder / "tokenizer.json");
        if (tokenizer || !has("tokenizer.model"))
            return tokenizer;
        auto other = loadSentencePiece(folder / "tokenizer.model");
        return other ? std::move(other) : std::move(tokenizer);
    }
    if (has("vocab.json") && has("merges.txt"))
        return loadVocabAndMerges(folder);
    if (has("tokenizer.model"))
        return loadSentencePiece(folder / "tokenizer.model");
    return badInput(folder.string(),
                    "no tokeniser: tokenizer.json, vocab.json with merges.txt, or tokenizer.model is needed" +
                        foreignTokenizer(folder));
}

} // namespace peakscope
