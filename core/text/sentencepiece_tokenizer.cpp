// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bpe_tokenizer.h"

#include "core/base/file.h"
#include "core/text/utf8.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cctype>

namespace peakscope {

namespace {

constexpr std::int64_t kLargestFile = 512LL << 20;

// tiktoken's files, which Llama-3 folders have under the same name: "BASE64 RANK" a line.
bool isTiktoken(std::string_view content)
{
    const std::string_view line = content.substr(0, std::min<std::size_t>(content.find('\n'), 1024));
    const auto space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size())
        return false;
    const auto isBase64 = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/' || c == '=';
    };
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(space), isBase64) &&
           std::all_of(line.begin() + static_cast<std::ptrdiff_t>(space) + 1, line.end(), isDigit);
}

class SentencePieceTokenizer : public Tokenizer
{
public:
    std::string load(std::string_view content) { return m_processor.LoadFromSerializedProto(content).ToString(); }

    std::vector<std::int32_t> encode(std::string_view utf8) const override
    {
        std::vector<int> ids;
        const auto status =
            isValidUtf8(utf8) ? m_processor.Encode(utf8, &ids) : m_processor.Encode(repairedUtf8(utf8), &ids);
        return status.ok() ? std::vector<std::int32_t>(ids.begin(), ids.end()) : std::vector<std::int32_t>();
    }

    std::string decode(std::span<const std::int32_t> ids) const override
    {
        std::vector<int> known;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(known),
                     [&](std::int32_t id) { return id >= 0 && id < m_processor.GetPieceSize(); });
        std::string text;
        return m_processor.Decode(known, &text).ok() ? text : std::string();
    }

    std::int64_t vocabSize() const override { return m_processor.GetPieceSize(); }
    std::string name() const override { return "SentencePiece (tokenizer.model)"; }

private:
    sentencepiece::SentencePieceProcessor m_processor;
};

} // namespace

Result<std::unique_ptr<Tokenizer>> loadSentencePiece(const std::filesystem::path& file)
{
    const auto content = readTextFile(file, kLargestFile);
    if (!content)
        return content.error();
    if (isTiktoken(*content))
        return badInput(file.string(),
                        "a tiktoken file, which is not supported; the tokenizer.json of the same model is");
    auto tokenizer = std::make_unique<SentencePieceTokenizer>();
    const bool loads = !content->empty() && tokenizer->load(*content) == "OK";
    if (!loads || tokenizer->vocabSize() <= 0)
        return badInput(file.string(), "not a SentencePiece model");
    return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

} // namespace peakscope
